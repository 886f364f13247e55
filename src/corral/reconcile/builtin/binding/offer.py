"""What a node offers to pods: its labels and taints, whether it takes any, and how much there is."""

from typing import NamedTuple

from corral.kinds.nodes import is_fake_node, is_process_node
from corral.kinds.objects import Object, labels_of
from corral.kinds.quantities import parse_quantity, quantity_text
from corral.reconcile.builtin.binding.demand import Demand, extended_amounts
from corral.reconcile.builtin.binding.node_affinity import is_met
from corral.reconcile.builtin.binding.taints import Taint, keeping_away, untolerated
from corral.reconcile.builtin.pods import condition_of

_BILLION = 10**9

PROCESSES, OTHERS, FAKES = 0, 1, 2
"""In which order nodes are asked: where pods run for real first."""


class Offer(NamedTuple):
    """A node as the binder sees it; two equal offers are the same to every pod."""

    name: str
    order: int
    labels: dict[str, str]
    taints: tuple[Taint, ...]
    is_ready: bool
    is_closed: bool
    """Whether somebody has marked it unschedulable."""
    amounts: dict[str, int]
    pods: int


def offer_of(node: Object) -> Offer:
    """Returns what a node offers."""
    spec, status = node.get("spec") or {}, node.get("status") or {}
    ready = condition_of(node, "Ready")
    allocatable = status.get("allocatable") or {}
    return Offer(
        name=node["metadata"]["name"],
        order=PROCESSES if is_process_node(node) else FAKES if is_fake_node(node) else OTHERS,
        labels=labels_of(node),
        taints=keeping_away(spec.get("taints") or ()),
        is_ready=ready is not None and ready.get("status") == "True",
        is_closed=bool(spec.get("unschedulable")),
        amounts=extended_amounts(allocatable),
        pods=parse_quantity(quantity_text(allocatable.get("pods", "0"))).nanos // _BILLION,
    )


def refusal(offer: Offer, demand: Demand) -> str:
    """Returns why a node takes no such pod however empty it is, in kube-scheduler's words; "" when it does."""
    if offer.is_closed:
        return "node(s) were unschedulable"
    if not offer.is_ready:
        return "node(s) were not ready"
    taint = untolerated(offer.taints, demand.tolerations)
    if taint is not None:
        return f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
    if any(offer.labels.get(name) != value for name, value in demand.selector):
        return _ELSEWHERE
    return "" if is_met(demand.terms, offer.name, offer.labels) else _ELSEWHERE


_ELSEWHERE = "node(s) didn't match Pod's node affinity/selector"
