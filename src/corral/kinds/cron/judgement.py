"""That for which a server refuses a cron: everything at once, in one order."""

from corral.kinds.cron.rules import sections
from corral.kinds.objects import Object
from corral.kinds.training.validation.checks import errors_in
from corral.kinds.training.validation.field_error import FieldError


def admission_errors_of(obj: Object, old: Object | None = None) -> list[FieldError]:
    """Returns the errors; a cron that is going must be let go, and one that was taken may change its metadata."""
    if obj["metadata"].get("deletionTimestamp") or (old is not None and obj.get("spec") == old.get("spec")):
        return []
    return rule_errors_of(obj)


def rule_errors_of(obj: Object) -> list[FieldError]:
    """Returns what the rules find wrong, whatever the cron was before."""
    scope = {"object": obj, "oldObject": None, "namespaceObject": None}
    return [error for section in sections() for error in errors_in(section.rules, scope)]
