"""Node selectors, required node affinity and tolerations of a pod as the rules that placement knows."""

from corral.kinds.scheduling.names import NVIDIA_REPLICAS
from corral.kinds.scheduling.pod_view import NodeSelector, NodeTerm, Requirement, SchedulingSpec
from corral.kinds.scheduling.pod_view import Toleration as Borne
from corral.placement.fleet.rules import NAME_FIELD, Expression, RuleSet, Toleration

_NOBODY = (Expression(NAME_FIELD, "DoesNotExist"),)
"""A term that no node meets: every node has a name."""


def rules_of(spec: SchedulingSpec) -> RuleSet:
    """Returns which nodes a pod allows."""
    return RuleSet(
        tuple(sorted(spec.node_selector.items())),
        _affinity(spec),
        tuple(_toleration(one) for one in spec.tolerations),
    )


def without_turns(rules: RuleSet) -> RuleSet:
    """Returns rules that allow no node whose GPUs are shared by turns: what it offers as a GPU is a part of one already."""
    own = (Expression(NVIDIA_REPLICAS, "DoesNotExist"),), (Expression(NVIDIA_REPLICAS, "Lt", ("2",)),)
    return rules._replace(affinity=tuple((*term, *one) for term in rules.affinity or ((),) for one in own))


def _affinity(spec: SchedulingSpec) -> tuple[tuple[Expression, ...], ...]:
    nodes = spec.affinity.node_affinity if spec.affinity is not None else None
    if nodes is None or nodes.required is None:
        return ()
    return terms_of(nodes.required)


def terms_of(selector: NodeSelector) -> tuple[tuple[Expression, ...], ...]:
    """Returns the terms of which one must hold."""
    return tuple(_term(one) for one in selector.node_selector_terms or ()) or (_NOBODY,)


def _term(term: NodeTerm) -> tuple[Expression, ...]:
    labels = [_expression(one) for one in term.match_expressions or ()]
    fields = [_expression(one) if one.key == NAME_FIELD else _NOBODY[0] for one in term.match_fields or ()]
    return (*labels, *fields)


def _expression(one: Requirement) -> Expression:
    return Expression(one.key, one.operator, tuple(one.values or ()))


def _toleration(one: Borne) -> Toleration:
    return Toleration(one.key, one.operator or "Equal", one.value, one.effect)
