"""What is wrong with a training job: everything at once, in one order, judged as its user wrote it."""

import msgspec

from corral.kinds.objects import Object
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.early_dialects import modernised
from corral.kinds.training.mpi import MPI_JOB, MPI_JOB_V2
from corral.kinds.training.progress_pattern import fault_in
from corral.kinds.training.pytorch import PYTORCH_JOB
from corral.kinds.training.validation.checks import errors_in
from corral.kinds.training.validation.early_manifests import early_errors
from corral.kinds.training.validation.field_error import FieldError, invalid
from corral.kinds.training.validation.job_rules import SCOPE_IS_KEPT
from corral.kinds.training.validation.mpi_rules import mpi_errors
from corral.kinds.training.validation.mpi_v2_rules import mpi_v2_errors
from corral.kinds.training.validation.places import OBJECT
from corral.kinds.training.validation.rules import sections_of
from corral.kinds.training.validation.terms import Field, Given, Scope, Term


class Deprecation(msgspec.Struct, frozen=True):
    """Something that still works, and what to write instead."""

    when: Term
    text: str


DEPRECATIONS = {
    PYTORCH_JOB.kind: (
        Deprecation(
            Given(OBJECT, ("spec", "elasticPolicy", "nProcPerNode")),
            "spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead",
        ),
    )
}

_PATTERN = ("spec", "runPolicy", "progress", "pattern")
_OPERATOR_RULES = {MPI_JOB: mpi_errors, MPI_JOB_V2: mpi_v2_errors}
"""What the operator itself says of kinds that a server does not refuse."""


def errors_of(obj: Object, old: Object | None = None) -> list[FieldError]:
    """Returns all that is wrong with a job, whether a server refuses it or the operator does."""
    rules = _OPERATOR_RULES.get(facts_of(obj))
    told = rules(modernised(obj)) if rules else ()
    return [*_judged(obj, old, None), *told, *writing_errors_of(obj)]


def writing_errors_of(obj: Object) -> list[FieldError]:
    """Returns what no expression of a cluster's policy could tell of texts in a job: commands, and patterns of progress."""
    return [*early_errors(obj), *_pattern_errors(obj)]


def admission_errors_of(obj: Object, old: Object | None = None, namespace: Object | None = None) -> list[FieldError]:
    """Returns that for which a server refuses a job; `old` is what it replaces, `namespace` where it is to be."""
    return _judged(obj, old, namespace) if is_judged(obj, old) else []


def is_judged(obj: Object, old: Object | None) -> bool:
    """Whether a server looks at a job: one that is going must be let go, one that was taken may change its metadata.

    Of the metadata only the annotation about restarts is looked at, and only when it changes.
    """
    if (obj.get("metadata") or {}).get("deletionTimestamp"):
        return False
    if old is None or obj.get("spec") != old.get("spec"):
        return True
    return not SCOPE_IS_KEPT.value(_scope(obj, old, None))


def warnings_of(obj: Object) -> list[str]:
    """Returns what its user should know about a job that is taken as it is."""
    scope = _scope(obj, None, None)
    return [one.text for one in DEPRECATIONS.get(obj.get("kind", ""), ()) if one.when.value(scope)]


def _judged(obj: Object, old: Object | None, namespace: Object | None) -> list[FieldError]:
    scope = _scope(obj, old, namespace)
    return [error for section in sections_of(facts_of(obj)) for error in errors_in(section.rules, scope)]


def _pattern_errors(obj: Object) -> list[FieldError]:
    scope = _scope(obj, None, None)
    text = Field(OBJECT, _PATTERN).value(scope) if Given(OBJECT, _PATTERN).value(scope) else ""
    fault = fault_in(text) if isinstance(text, str) and text else ""
    return [invalid(".".join(_PATTERN), text, fault)] if fault else []


def _scope(obj: Object, old: Object | None, namespace: Object | None) -> Scope:
    return {"object": obj, "oldObject": old, "namespaceObject": namespace}
