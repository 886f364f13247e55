"""Lease: who holds a role, and until when."""

from corral.engine.apiserver.field_errors import FieldError, invalid
from corral.engine.apiserver.resources.resource import Object, Strategy
from corral.engine.apiserver.resources.zero_values import fill


class LeaseStrategy(Strategy):
    """Leases; a PUT may create one, and must otherwise name the version that it replaces."""

    allow_create_on_update = True
    allow_unconditional_update = False

    def default(self, obj: Object) -> None:
        """Shows the spec even when it is empty, and forgets coordinated elections, which nobody here holds."""
        fill(obj, {"spec": {}})
        for field in ("strategy", "preferredHolder"):
            obj["spec"].pop(field, None)

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks duration and count."""
        spec = obj["spec"]
        errors: list[FieldError] = []
        seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
        if seconds is not None and seconds <= 0:
            errors.append(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"))
        if transitions is not None and transitions < 0:
            errors.append(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"))
        return errors
