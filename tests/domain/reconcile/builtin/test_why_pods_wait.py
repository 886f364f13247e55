"""A pod that fits nowhere is told why, in the words that people know from kube-scheduler."""

from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from tests.domain.reconcile.builtin.binding_scene import board, choices, node, pod

TAINT = {"key": "dedicated", "value": "vision", "effect": "NoSchedule"}


def test_every_node_has_its_reasons_counted() -> None:
    nodes = [
        node("a", gpus=1),
        node("b"),
        node("c", gpus=8, taints=[TAINT]),
        node("d", gpus=8, closed=True),
        node("e", gpus=8, ready=False),
        node("f", gpus=1, pods=0),
    ]
    there = board(nodes, [pod("p", gpus=2)])
    assert choices(there) == []
    assert there.refused() == [
        (
            "0/6 nodes are available: 1 Too many pods, 1 node(s) had untolerated taint {dedicated: vision}, "
            "1 node(s) were not ready, 1 node(s) were unschedulable, 3 Insufficient nvidia.com/gpu.",
            [ObjectKey("ns", "p")],
        )
    ]


def test_selectors_and_ports_are_named() -> None:
    port: Object = {"containers": [{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}]}
    there = board([node("a")], [pod("holder", on="a", **port), pod("p", **port)])
    choices(there)
    (told,) = there.refused()
    assert told[0] == "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
    there = board([node("a")], [pod("p", nodeSelector={"zone": "z"})])
    choices(there)
    (told,) = there.refused()
    assert told[0] == "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."


def test_without_nodes_that_is_the_reason() -> None:
    there = board([], [pod("p")])
    assert choices(there) == []
    assert there.refused() == [("no nodes available to schedule pods", [ObjectKey("ns", "p")])]


def test_a_pod_that_fits_is_not_told_anything() -> None:
    there = board([node("a", gpus=1)], [pod("p", gpus=1)])
    assert there.refused() == []
    choices(there)
    assert there.refused() == []


def test_news_that_change_nothing_are_not_counted() -> None:
    there = board([node("a", gpus=1)], [pod("held", gpus=1, on="a"), pod("p", gpus=1)])
    choices(there)
    before = there.changes
    there.take_node("a", node("a", gpus=1))
    there.take_pod(pod("held", gpus=1, on="a"), pod("held", gpus=1, on="a", phase="Running"))
    there.take_pod(pod("p", gpus=1), pod("p", gpus=1))
    assert there.changes == before
