"""What is wrong with a training job: everything at once, in one order, judged as its user wrote it."""

from corral.kinds.objects import Object
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.validation.checks import errors_in
from corral.kinds.training.validation.early_manifests import early_errors
from corral.kinds.training.validation.field_error import FieldError
from corral.kinds.training.validation.rules import rules_of

DEPRECATED_PROCESSES = "spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead"


def errors_of(obj: Object, old: Object | None = None) -> list[FieldError]:
    """Returns all that is wrong with a job, whether a server refuses it or the operator does."""
    return [*admission_errors_of(obj, old), *early_errors(obj)]


def admission_errors_of(obj: Object, old: Object | None = None, namespace: Object | None = None) -> list[FieldError]:
    """Returns that for which a server refuses a job; `old` is what it replaces, `namespace` where it is to be.

    A job that is being deleted is judged no more, so that whoever holds it by a finalizer can let it go.
    """
    if (obj.get("metadata") or {}).get("deletionTimestamp"):
        return []
    scope = {"object": obj, "oldObject": old, "namespaceObject": namespace}
    return list(errors_in(rules_of(facts_of(obj)), scope))


def warnings_of(obj: Object) -> list[str]:
    """Returns what its user should know about a job that is taken as it is."""
    spec = obj.get("spec") or {}
    elastic = spec.get("elasticPolicy") or {}
    is_deprecated = obj.get("kind") == "PyTorchJob" and elastic.get("nProcPerNode") is not None
    return [DEPRECATED_PROCESSES] if is_deprecated else []
