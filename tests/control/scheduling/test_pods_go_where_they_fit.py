"""Which node a pod goes to: what it asks for, what nodes refuse, and which one is taken of several."""

from typing import Any

import pytest

from corral.kinds.nodes import FAKE_NODE, PROCESS_NODE
from corral.kinds.objects import Object
from corral.kinds.scheduling.pod_view import SchedulingPod
from tests.control.scheduling.scene import GPU, NOW, board, changed, node, placed, pod

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TAINT = {"key": "dedicated", "value": "vision", "effect": "NoSchedule"}
LABELS = {"zone": "a", "cores": "16"}
LABELLED = node("one", labels=LABELS)


def affinity(*terms: Object) -> Object:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}}


def label(key: str, operator: str, *values: str) -> Object:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def field(operator: str, *values: str) -> Object:
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": list(values)}]}


FITTING: dict[str, dict[str, Any]] = {
    "no wishes": {},
    "a selector": {"nodeSelector": {"zone": "a"}},
    "in": affinity(label("zone", "In", "b", "a")),
    "not in another": affinity(label("zone", "NotIn", "b")),
    "not in, without the label": affinity(label("rack", "NotIn", "b")),
    "exists": affinity(label("zone", "Exists")),
    "does not exist": affinity(label("rack", "DoesNotExist")),
    "more than": affinity(label("cores", "Gt", "15")),
    "less than": affinity(label("cores", "Lt", "17")),
    "by name": affinity(field("In", "one")),
    "one term of two": affinity(label("zone", "In", "b"), label("zone", "In", "a")),
    "corral by name": {"schedulerName": "corral"},
    "a gang scheduler that nobody runs here": {"schedulerName": "volcano"},
}
UNFITTING: dict[str, dict[str, Any]] = {
    "a selector": {"nodeSelector": {"zone": "b"}},
    "in others": affinity(label("zone", "In", "b")),
    "not in": affinity(label("zone", "NotIn", "a")),
    "exists not": affinity(label("rack", "Exists")),
    "exists though it should not": affinity(label("zone", "DoesNotExist")),
    "not more": affinity(label("cores", "Gt", "16")),
    "not less": affinity(label("cores", "Lt", "16")),
    "no number": affinity(label("zone", "Gt", "1")),
    "without the label to compare": affinity(label("rack", "Lt", "1")),
    "another name": affinity(field("NotIn", "one")),
    "both parts of a term must hold": affinity({**label("zone", "In", "a"), **field("In", "two")}),
    "an empty term": affinity({}),
    "an operator of later times": affinity(label("zone", "Resembles", "a")),
    "selector and affinity": {"nodeSelector": {"zone": "b"}, **affinity(label("zone", "In", "a"))},
    "another scheduler": {"schedulerName": "yunikorn"},
    "claims of devices": {"resourceClaims": [{"name": "gpu"}]},
    "a gate": {"schedulingGates": [{"name": "quota"}]},
}


@pytest.mark.parametrize("wishes", FITTING.values(), ids=FITTING)
def test_a_pod_is_bound_where_its_wishes_are_met(wishes: dict[str, Any]) -> None:
    assert placed(board([LABELLED], [pod("p", **wishes)])) == {"p": "one"}


@pytest.mark.parametrize("wishes", UNFITTING.values(), ids=UNFITTING)
def test_a_pod_is_not_bound_where_they_are_not(wishes: dict[str, Any]) -> None:
    assert placed(board([LABELLED], [pod("p", **wishes)])) == {}


TOLERATED: dict[str, tuple[dict[str, str], bool]] = {
    "the very taint": ({**TAINT, "operator": "Equal"}, True),
    "equal by default": (TAINT, True),
    "any value": ({"key": "dedicated", "operator": "Exists"}, True),
    "everything": ({"operator": "Exists"}, True),
    "another value": ({**TAINT, "value": "speech"}, False),
    "another effect": ({**TAINT, "effect": "NoExecute"}, False),
    "another key": ({"key": "spot", "operator": "Exists"}, False),
}


@pytest.mark.parametrize(("toleration", "is_enough"), TOLERATED.values(), ids=TOLERATED)
def test_taints_must_be_tolerated(toleration: dict[str, str], is_enough: bool) -> None:
    there = board([node("one", taints=[TAINT])], [pod("p", tolerations=[toleration])])
    assert placed(there) == ({"p": "one"} if is_enough else {})


def test_a_taint_that_only_prefers_keeps_nobody_away() -> None:
    assert placed(board([node("one", taints=[{**TAINT, "effect": "PreferNoSchedule"}])], [pod("p")])) == {"p": "one"}


@pytest.mark.parametrize("options", [{"ready": False}, {"closed": True}], ids=["not ready", "unschedulable"])
def test_a_node_that_takes_nothing_gets_nothing(options: dict[str, bool]) -> None:
    assert placed(board([node("one", **options)], [pod("p")])) == {}


def test_real_processes_come_before_fake_ones_while_they_fit() -> None:
    nodes = [
        node("another", gpus=1),
        node("fake", gpus=8, labels={FAKE_NODE: "true"}),
        node("mine", labels={PROCESS_NODE: "true"}),
    ]
    pods = [pod("plain"), pod("small", gpus=1), pod("large", gpus=8), pod("chosen", nodeSelector={FAKE_NODE: "true"})]
    assert placed(board(nodes, pods[:3])) == {"plain": "mine", "small": "another", "large": "fake"}
    assert placed(board(nodes, pods[3:])) == {"chosen": "fake"}


def test_processes_of_one_machine_share_its_processors_and_memory_and_nothing_else_does() -> None:
    huge = {"cpu": "9999", "memory": "900Ti", "ephemeral-storage": "900Ti"}
    pods = [pod("a", requests=huge), pod("b", requests=huge)]
    assert placed(board([node("mine", labels={PROCESS_NODE: "true"})], pods)) == {"a": "mine", "b": "mine"}
    assert placed(board([node("another"), node("fake", labels={FAKE_NODE: "true"})], pods)) == {}


def test_initialisation_and_what_runs_beside_it_are_counted_at_the_widest() -> None:
    def container(gpus: int, **more: str) -> Object:
        return {"name": "c", "resources": {"limits": {GPU: str(gpus)}}, **more}

    first = [container(1, restartPolicy="Always"), container(6)]
    wide = pod("wide", initContainers=first, containers=[container(2), container(2)])
    assert placed(board([node("one", gpus=7)], [wide])) == {"wide": "one"}
    assert placed(board([node("one", gpus=6)], [wide])) == {}


def test_ports_of_the_node_are_had_once() -> None:
    def wanting(name: str, **port: Any) -> SchedulingPod:
        return pod(name, containers=[{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80, **port}]}])

    one = board([node("one")], [wanting("a"), wanting("b", hostIP="127.0.0.1"), wanting("c", protocol="UDP")])
    assert placed(one) == {"a": "one", "c": "one"}
    two = board([node("one")], [wanting("a", hostIP="127.0.0.1"), wanting("b", hostIP="127.0.0.2")])
    assert placed(two) == {"a": "one", "b": "one"}


def test_a_node_takes_no_more_pods_than_it_says() -> None:
    full = board([node("one", pods=2)], [pod("there", on="one"), pod("ended", on="one", phase="Succeeded")])
    full.take_pod(None, pod("a"), NOW)
    full.take_pod(None, pod("b"), NOW)
    assert placed(full) == {"a": "one"}


def test_the_more_important_pod_comes_first_then_the_older() -> None:
    old = changed(pod("old", gpus=1), metadata={"creationTimestamp": "2027-01-15T07:00:00Z"})
    pods = [pod("new", gpus=1), old, pod("urgent", gpus=1, priority=1000)]
    assert list(placed(board([node("one", gpus=3)], pods))) == ["urgent", "old", "new"]


def _with_port(name: str, number: int) -> SchedulingPod:
    ports = [{"containerPort": 80, "hostPort": number}]
    return pod(name, containers=[{"name": "main", "ports": ports, "resources": {}}])


def test_many_ports_are_offered_at_once_and_forgotten_with_their_pods() -> None:
    there = board([node(f"n{index}") for index in range(20)])
    pods = [_with_port(f"p{number}", 7000 + number) for number in range(30)]
    before = there.room.fleet.changes.position
    for one in pods:
        there.take_pod(None, one, NOW)
    assert there.room.fleet.changes.position == before

    assert len(placed(there)) == 30
    assert there.room.fleet.changes.position - before == 20 + 30
    for one in pods:
        there.take_pod(one, None, NOW)
    there.take_pod(None, _with_port("last", 80), NOW)
    assert list(placed(there)) == ["last"]
    assert [name for name in there.room.fleet.columns.others if "host-port" in name] == ["corral.dev/host-port/TCP/80"]
