"""Lease: who holds a role, and until when."""

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, not_supported
from corral.engine.apiserver.resources.resource import Object, Strategy
from corral.engine.apiserver.resources.zero_values import fill

_STRATEGIES = ("OldestEmulationVersion",)


class LeaseStrategy(Strategy):
    """Leases; a PUT may create one, and must otherwise name the version that it replaces."""

    allow_create_on_update = True
    allow_unconditional_update = False

    def default(self, obj: Object) -> None:
        """Shows the spec even when it is empty."""
        fill(obj, {"spec": {}})

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks durations and the strategy of coordinated elections."""
        spec = obj["spec"]
        errors: list[FieldError] = []
        seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
        strategy = spec.get("strategy")
        if seconds is not None and seconds <= 0:
            errors.append(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"))
        if transitions is not None and transitions < 0:
            errors.append(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"))
        if strategy is not None and strategy not in _STRATEGIES:
            errors.append(not_supported("spec.strategy", strategy, _STRATEGIES))
        if spec.get("preferredHolder") and not strategy:
            detail = "may only be specified if `strategy` is defined"
            errors.append(forbidden("spec.preferredHolder", detail))
        return errors
