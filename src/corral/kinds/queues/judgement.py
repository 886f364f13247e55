"""That for which a server refuses a queue: everything at once, in one order."""

from corral.kinds.objects import Object
from corral.kinds.queues.rules import sections
from corral.kinds.training.validation.checks import errors_in
from corral.kinds.training.validation.field_error import FieldError


def admission_errors_of(obj: Object, old: Object | None = None) -> list[FieldError]:
    """Returns the errors; a queue that is going must be let go, and one that was taken may change its metadata."""
    if obj["metadata"].get("deletionTimestamp") or (old is not None and obj.get("spec") == old.get("spec")):
        return []
    scope = {"object": obj, "oldObject": None, "namespaceObject": None}
    return [error for section in sections() for error in errors_in(section.rules, scope)]
