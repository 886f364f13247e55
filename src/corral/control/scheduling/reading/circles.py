"""Rules between pods: required affinity and anti-affinity, and topology spread constraints that forbid, as placement knows them.

Each rule speaks of a *circle*: the pods that a selector means in some namespaces. The meaning is that of Kubernetes. Labels of namespaces
are not followed, so a selector of namespaces may ask for their names only; any other is refused, and where a pod that runs already
has one, its anti-affinity is taken to mean every namespace: rather too far apart than too near.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from corral.control.scheduling.dialects.dialect import MalformedError
from corral.control.scheduling.reading.rules import rules_of
from corral.kinds.objects import Metadata
from corral.kinds.scheduling.pod_view import (
    LabelSelector,
    PodAffinity,
    PodTerm,
    Requirement,
    SchedulingPod,
    SpreadConstraint,
)
from corral.placement.fleet.neighbours import APART, EVEN, TOGETHER
from corral.placement.fleet.rules import Expression, RuleSet, Toleration

NAMESPACE_NAME: Final = "kubernetes.io/metadata.name"
_EVERY_TAINT: Final = Toleration(operator="Exists")


class Term(NamedTuple):
    """Pods that a selector means, in some namespaces."""

    namespaces: tuple[str, ...]
    also: tuple[Expression, ...] | None
    """Namespaces besides these, by expressions over their names: () is every one, None is no other."""
    labels: tuple[Expression, ...] | None
    """None means no pod at all."""

    def means(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether it means a pod of a namespace with such labels."""
        if self.labels is None or not all(one.holds(labels) for one in self.labels):
            return False
        if namespace in self.namespaces:
            return True
        return self.also is not None and all(one.holds({NAMESPACE_NAME: namespace}) for one in self.also)


class Circle(NamedTuple):
    """The pods that every one of some terms means."""

    terms: tuple[Term, ...]
    is_of_staying: bool = False
    """Whether pods that are being deleted are left out."""

    def has(self, metadata: Metadata) -> bool:
        """Whether a pod with such metadata belongs to it."""
        if self.is_of_staying and metadata.deletion_timestamp:
            return False
        return all(one.means(metadata.namespace, metadata.labels) for one in self.terms)


class Wish(NamedTuple):
    """One rule of a pod about others."""

    kind: str
    circle: Circle
    level: str
    skew: int = 1
    among: RuleSet | None = None
    """The nodes whose domains are compared; None where none are."""
    least: int = 0
    """As long as there are fewer domains, an empty one is taken to exist."""


def wishes_of(pod: SchedulingPod) -> tuple[tuple[Wish, ...], str]:
    """Returns the rules of a pod about others, as far as they can be read, and what cannot be."""
    affinity, complaints = pod.spec.affinity, list[str]()
    found: list[Wish] = []
    if affinity is not None:
        found += _together(pod, affinity.pod_affinity, complaints)
        found += _apart(pod, affinity.pod_anti_affinity, complaints)
    try:
        found += _even(pod)
    except MalformedError as error:
        complaints.append(str(error))
    return tuple(dict.fromkeys(found)), next(iter(complaints), "")


def _together(pod: SchedulingPod, wanted: PodAffinity | None, complaints: list[str]) -> Iterable[Wish]:
    """Only a pod that every term means counts for any of them."""
    given = wanted.required or [] if wanted is not None else []
    try:
        circle = Circle(tuple(_term(pod, one) for one in given))
    except MalformedError as error:
        complaints.append(f"required pod affinity: {error}")
        return ()
    return [Wish(TOGETHER, circle, one.topology_key) for one in given]


def _apart(pod: SchedulingPod, wanted: PodAffinity | None, complaints: list[str]) -> Iterable[Wish]:
    for one in wanted.required or [] if wanted is not None else []:
        try:
            term = _term(pod, one)
        except MalformedError as error:
            complaints.append(f"required pod anti-affinity: {error}")
            term = Term((), (), _readable(one.label_selector))
        yield Wish(APART, Circle((term,)), one.topology_key)


def _even(pod: SchedulingPod) -> Iterable[Wish]:
    given = [one for one in pod.spec.topology_spread_constraints if one.when_unsatisfiable != "ScheduleAnyway"]
    levels = tuple(Expression(level, "Exists") for level in sorted({one.topology_key for one in given}))
    for one in given:
        labels = _labels(one.label_selector)
        labels = _with_keys(labels, pod, one.match_label_keys, "In")
        circle = Circle((Term((pod.metadata.namespace,), None, labels),), is_of_staying=True)
        yield Wish(EVEN, circle, one.topology_key, one.max_skew, _compared(pod, one, levels), one.min_domains or 0)


def _compared(pod: SchedulingPod, one: SpreadConstraint, levels: tuple[Expression, ...]) -> RuleSet:
    """Returns which nodes count: those with all levels, unless a policy says otherwise also those whose taints keep the pod away."""
    rules = rules_of(pod.spec)
    if one.node_affinity_policy == "Ignore":
        rules = rules._replace(selector=(), affinity=())
    if one.node_taints_policy != "Honor":
        rules = rules._replace(tolerations=(_EVERY_TAINT,))
    return rules._replace(affinity=tuple((*term, *levels) for term in rules.affinity) or (levels,))


def _term(pod: SchedulingPod, one: PodTerm) -> Term:
    labels = _labels(one.label_selector)
    labels = _with_keys(labels, pod, one.match_label_keys, "In")
    labels = _with_keys(labels, pod, one.mismatch_label_keys, "NotIn")
    namespaces = tuple(sorted(one.namespaces or ()))
    if one.namespace_selector is None:
        return Term(namespaces or (pod.metadata.namespace,), None, labels)
    also = _labels(one.namespace_selector)
    others = [expression.key for expression in also or () if expression.key != NAMESPACE_NAME]
    if others:
        raise MalformedError(
            f"its namespaceSelector asks for the label {others[0]}, and labels of namespaces are not followed here; "
            f"name them in namespaces, or select by {NAMESPACE_NAME}"
        )
    return Term(namespaces, also, labels)


def _with_keys(
    labels: tuple[Expression, ...] | None, pod: SchedulingPod, keys: list[str] | None, operator: str
) -> tuple[Expression, ...] | None:
    """Returns a selector that also compares labels with those of the pod that asks; where it has none, nothing is compared."""
    if labels is None:
        return None
    own = pod.metadata.labels
    more = (Expression(key, operator, (own[key],)) for key in keys or () if key in own)
    return tuple(dict.fromkeys((*labels, *more)))


def _labels(selector: LabelSelector | None) -> tuple[Expression, ...] | None:
    if selector is None:
        return None
    equal = (Expression(key, "In", (value,)) for key, value in (selector.match_labels or {}).items())
    return tuple(sorted({*equal, *map(_expression, selector.match_expressions or ())}))


def _expression(one: Requirement) -> Expression:
    if one.operator not in ("In", "NotIn", "Exists", "DoesNotExist"):
        raise MalformedError(f"the operator {one.operator!r} of a selector is not known here")
    return Expression(one.key, one.operator, tuple(sorted(one.values or ())))


def _readable(selector: LabelSelector | None) -> tuple[Expression, ...] | None:
    """Returns a selector of pods, every pod where it cannot be read."""
    try:
        return _labels(selector)
    except MalformedError:
        return ()
