"""How a namespace ends: what to tell about its remaining content, and when it may go."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.kinds.well_known import NAMESPACE
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import LookAgainAfter, Plan, SetStatus, Update

FINALIZER = "kubernetes"
_LONGEST_WAIT = 15.0


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found in a terminating namespace after everything in it was asked to go."""

    namespace: Object
    undiscovered: Sequence[str] = ()
    """Group versions whose content is unknown."""
    failures: Sequence[str] = ()
    """Why some content could not be listed or deleted."""
    remaining: Mapping[ApiResource, int] = field(default_factory=dict)
    finalizers: Mapping[str, int] = field(default_factory=dict)
    grace: float = 0.0
    """The longest grace period of what is on its way."""

    @property
    def is_empty(self) -> bool:
        """Whether it is certain that nothing is left."""
        return not (self.undiscovered or self.failures or self.remaining)


def is_ours(namespace: Object) -> bool:
    """Whether a namespace is being deleted and still waits for us to empty it."""
    finalizers = (namespace.get("spec") or {}).get("finalizers") or []
    return bool(namespace["metadata"].get("deletionTimestamp")) and FINALIZER in finalizers


def decide(survey: Survey, now: float) -> Plan:
    """Reports what remains, or lets the namespace go.

    One that vanishes at once is not written to first; one that stays for somebody else's finalizer is, so that its
    conditions do not tell of content that is no more.
    """
    namespace = survey.namespace
    status = namespace.get("status") or {}
    conditions = _conditions(survey, status.get("conditions") or [], now)
    is_told = conditions == (status.get("conditions") or [])
    if survey.is_empty and (is_told or not (status.get("conditions") or namespace["metadata"].get("finalizers"))):
        return Plan.of(Update(NAMESPACE, _finalized(namespace), subresource="finalize"))
    again = LookAgainAfter(0.0 if survey.is_empty else min(_LONGEST_WAIT, survey.grace / 2 + 1))
    if is_told:
        return Plan.of(again)
    return Plan.of(SetStatus(NAMESPACE, namespace, {**status, "phase": "Terminating", "conditions": conditions}), again)


def _finalized(namespace: Object) -> Object:
    spec = namespace["spec"]
    kept = [name for name in spec["finalizers"] if name != FINALIZER]
    return {**namespace, "spec": {**spec, "finalizers": kept}}


def _conditions(survey: Survey, before: Sequence[Object], now: float) -> list[Object]:
    found = {one.get("type"): one for one in before}
    told = []
    for kind, is_true, reason, message in _facts(survey):
        status = "True" if is_true else "False"
        old = found.pop(kind, None)
        if old and (old.get("status"), old.get("reason"), old.get("message")) == (status, reason, message):
            told.append(old)
            continue
        since = old["lastTransitionTime"] if old and old.get("status") == status else stamp_of(now)
        told.append({"type": kind, "status": status, "lastTransitionTime": since, "reason": reason, "message": message})
    return [*found.values(), *told]


def _facts(survey: Survey) -> list[tuple[str, bool, str, str]]:
    return [
        _fact(
            "NamespaceDeletionDiscoveryFailure",
            len(survey.undiscovered)
            and f"Discovery failed for some groups, {len(survey.undiscovered)} failing: "
            f"unable to retrieve the complete list of server APIs: {', '.join(survey.undiscovered)}",
            ("DiscoveryFailed", "ResourcesDiscovered", "All resources successfully discovered"),
        ),
        _fact(
            "NamespaceDeletionGroupVersionParsingFailure",
            0,
            ("GroupVersionParsingFailed", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
        ),
        _fact(
            "NamespaceDeletionContentFailure",
            len(survey.failures)
            and f"Failed to delete all resource types, {len(survey.failures)} remaining: {'; '.join(survey.failures)}",
            (
                "ContentDeletionFailed",
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
        ),
        _fact(
            "NamespaceContentRemaining",
            len(survey.remaining) and f"Some resources are remaining: {_counted(survey.remaining)}",
            ("SomeResourcesRemain", "ContentRemoved", "All content successfully removed"),
        ),
        _fact(
            "NamespaceFinalizersRemaining",
            len(survey.finalizers)
            and f"Some content in the namespace has finalizers remaining: {_held(survey.finalizers)}",
            ("SomeFinalizersRemain", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
        ),
    ]


def _fact(kind: str, problem: str | int, words: tuple[str, str, str]) -> tuple[str, bool, str, str]:
    bad, good, message = words
    return (kind, True, bad, str(problem)) if problem else (kind, False, good, message)


def _counted(remaining: Mapping[ApiResource, int]) -> str:
    named = ((f"{resource.plural}.{resource.group}", count) for resource, count in remaining.items())
    return ", ".join(sorted(f"{name} has {count} resource instances" for name, count in named))


def _held(finalizers: Mapping[str, int]) -> str:
    return ", ".join(sorted(f"{name} in {count} resource instances" for name, count in finalizers.items()))
