"""A pod that fits nowhere is told why, in the words that people know from kube-scheduler."""

import pytest

from corral.kinds.objects import Object
from tests.control.scheduling.scene import NOW, board, decide, member, node, pod, told

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
    assert decide(there).decisions == ()
    assert told(there) == {
        "p": "0/6 nodes are available: 1 Too many pods, 1 node(s) had untolerated taint {dedicated: vision}, "
        "1 node(s) were not ready, 1 node(s) were unschedulable, 3 Insufficient nvidia.com/gpu."
    }


def test_every_amount_that_is_short_is_named() -> None:
    there = board(
        [node("a", amounts={"rdma/hca": "1"})], [pod("p", requests={"cpu": "65", "memory": "1Ti", "rdma/hca": "2"})]
    )
    decide(there)
    assert (
        told(there)["p"]
        == "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 Insufficient rdma/hca."
    )


def test_selectors_and_ports_are_named() -> None:
    port: Object = {"containers": [{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}]}
    there = board([node("a")], [pod("holder", on="a", **port), pod("p", **port)])
    decide(there)
    assert told(there)["p"] == "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
    there = board([node("a")], [pod("p", nodeSelector={"zone": "z"})])
    decide(there)
    assert told(there)["p"] == "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."


def test_models_of_gpus_are_named() -> None:
    wanted = pod("p", gpus=1, metadata={"annotations": {"corral.dev/gpu-models": "H100"}})
    there = board([node("a", gpus=8, labels={"nvidia.com/gpu.product": "T4"})], [wanted])
    decide(there)
    assert told(there)["p"] == "0/1 nodes are available: 1 node(s) didn't have the GPUs that were asked for."


def test_a_gang_hears_how_many_of_it_fit() -> None:
    there = board([node("a", gpus=2), node("b", gpus=1)], [member(f"p{number}", "train", 4) for number in range(4)])
    assert decide(there).decisions == ()
    assert set(told(there).values()) == {
        "0/2 nodes are available: gang train needs 4 pods at once and 3 fit, 2 node(s) had room for too few pods of the gang."
    }


def test_a_gang_that_is_not_there_yet_says_who_is_missing() -> None:
    there = board([node("a", gpus=8)], [member("p0", "train", 4)])
    decide(there)
    assert told(there) == {"p0": "1 of the 4 pods that must start together are there."}


def test_a_group_that_is_not_there_is_named() -> None:
    alone = pod("p", gpus=1, metadata={"labels": {"scheduling.x-k8s.io/pod-group": "train"}})
    there = board([node("a", gpus=8)], [alone])
    assert decide(there).decisions == ()
    assert told(there)["p"].startswith("PodGroup ns/train is not there")


@pytest.mark.parametrize("size", ["0", "-3", "many", "1e9", "", "9" * 40])
def test_words_that_cannot_be_read_are_told_and_hurt_nobody_else(size: str) -> None:
    marks = {"labels": {"corral.dev/gang": "train"}, "annotations": {"corral.dev/gang-size": size}}
    there = board([node("a", gpus=8)], [pod("poison", gpus=1, metadata=marks), pod("good", gpus=1)])
    assert [one.key.name for one in decide(there).decisions] == ["good"]
    assert "corral.dev/gang-size" in told(there)["poison"]


def test_without_nodes_that_is_the_reason() -> None:
    there = board([], [pod("p")])
    assert decide(there).decisions == ()
    assert told(there) == {"p": "no nodes available to schedule pods"}


def test_a_pod_that_was_not_looked_at_yet_is_not_told_anything() -> None:
    there = board([node("a", gpus=1)], [pod("p", gpus=1)])
    assert told(there) == {"p": ""}
    decide(there)
    assert told(there) == {}


def test_news_that_change_nothing_are_not_counted() -> None:
    held = pod("held", gpus=1, on="a")
    there = board([node("a", gpus=1)], [held, pod("p", gpus=1)])
    decide(there)
    before = there.changes
    there.take_node("a", node("a", gpus=1))
    there.take_pod(held, pod("held", gpus=1, on="a", phase="Running"), NOW)
    there.take_pod(pod("p", gpus=1), pod("p", gpus=1), NOW)
    decide(there)
    assert there.changes == before
