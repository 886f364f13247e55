"""Fields of pods and nodes whose meaning Kubernetes, or a device plugin, has settled."""

from typing import Any

import msgspec
import pytest

from corral.control.scheduling.board import Board
from corral.control.scheduling.telling import telling
from corral.kinds.objects import Object
from corral.kinds.scheduling.pod_view import SchedulingPod
from tests.control.scheduling.scene import NOW, board, changed, node, placed, pod, told

LATER = NOW + 100_000
SHARED = node("turns", gpus=8, labels={"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.memory": "24576"})


def condition(there: Board, name: str) -> Object:
    (one,) = [known for known in there.waiting() if known.key.name == name]
    (found,) = telling(one, told(there)[name], NOW)["status"]["conditions"]
    return dict(found)


@pytest.mark.parametrize(("policy", "evicted"), [("Never", []), ("PreemptLowerPriority", ["uid-low"])])
def test_a_pod_that_preempts_nobody_waits_for_its_turn(policy: str, evicted: list[str]) -> None:
    low = pod("low", gpus=1, on="one")
    high = pod("high", gpus=1, priority=100, preemptionPolicy=policy)
    decided = board([node("one", gpus=1)], [low, high]).decide(LATER, 100, 1)
    assert [one.gang for one in decided.evictions] == evicted


def test_a_pod_that_preempts_nobody_does_not_keep_those_from_it_that_do() -> None:
    pods = [pod("low", gpus=1, on="one"), pod("meek", gpus=1, priority=200, preemptionPolicy="Never")]
    decided = board([node("one", gpus=1)], [*pods, pod("high", gpus=1, priority=100)]).decide(LATER, 100, 1)
    assert [(one.gang, one.reason) for one in decided.evictions] == [("uid-low", "preempted")]


def sized(name: str, cpu: str, has: str = "", **options: Any) -> SchedulingPod:
    there = pod(name, requests={"cpu": cpu}, **options)
    statuses = [{"name": "main", "allocatedResources": {"cpu": has}}] if has else []
    return changed(there, status=msgspec.to_builtins({"containerStatuses": statuses}))


def test_a_pod_that_is_resized_holds_what_it_asks_for_now() -> None:
    small = sized("a", "10", on="one")
    there = board([node("one")], [small])
    there.take_pod(small, sized("a", "64", on="one"), NOW)
    there.take_pod(None, pod("b", requests={"cpu": "50"}), NOW)
    assert placed(there) == {}


def test_a_pod_that_shrinks_holds_what_it_had_until_its_node_has_followed() -> None:
    large = sized("a", "64", "64", on="one")
    there = board([node("one")], [large, pod("b", requests={"cpu": "50"})])
    shrinking = sized("a", "10", "64", on="one")
    there.take_pod(large, shrinking, NOW)
    assert placed(there) == {}
    there.take_pod(shrinking, sized("a", "10", "10", on="one"), NOW)
    assert placed(there) == {"b": "one"}


def test_gpus_that_are_shared_by_turns_are_given_as_turns_and_never_in_shares() -> None:
    share = pod("share", metadata={"annotations": {"corral.dev/gpu-share": "0.5"}})
    whole = [pod(f"p{index}", gpus=1) for index in range(9)]
    there = board([SHARED], [share, *whole])
    assert set(placed(there)) == {f"p{index}" for index in range(8)}
    assert {gpu.memory for gpu in there.places["turns"].offer.gpus} == {6144}
    single = node("single", gpus=1, labels={"nvidia.com/gpu.replicas": "1"})
    assert placed(board([SHARED, single, node("old", gpus=0)], [share])) == {"share": "single"}


@pytest.mark.parametrize(("share", "fit"), [("0.3333", 3), ("0.33", 3), ("0.1428", 7), ("0.5", 2), ("0.0019", 500)])
def test_as_many_shares_fit_as_their_text_means(share: str, fit: int) -> None:
    pods = [pod(f"p{index}", metadata={"annotations": {"gpu-fraction": share}}) for index in range(fit + 1)]
    assert len(placed(board([node("one", gpus=1, pods=1000)], pods))) == fit


def test_ports_of_initialisation_are_free_again_afterwards() -> None:
    def first(**more: str) -> list[Object]:
        return [{"name": "first", "ports": [{"containerPort": 80, "hostPort": 80}], **more}]

    pods = [pod("a", initContainers=first()), pod("b", initContainers=first())]
    assert set(placed(board([node("one")], pods))) == {"a", "b"}
    beside = [pod(name, initContainers=first(restartPolicy="Always")) for name in "ab"]
    assert len(placed(board([node("one")], beside))) == 1


def test_an_operator_of_later_times_bears_no_taint() -> None:
    taint = {"key": "spot", "value": "5", "effect": "NoSchedule"}
    there = board([node("one", taints=[taint])], [pod("p", tolerations=[{**taint, "operator": "Gt"}])])
    assert placed(there) == {}


def test_what_python_takes_for_a_number_need_not_be_one() -> None:
    more = {"key": "cores", "operator": "Gt", "values": ["1"]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [more]}]}}
    wants = pod("p", affinity={"nodeAffinity": required})
    assert placed(board([node("one", labels={"cores": "1_0"})], [wants])) == {}
    assert placed(board([node("one", labels={"cores": "10"})], [wants])) == {"p": "one"}


SHORT: dict[str, tuple[SchedulingPod, str]] = {
    "whole GPUs": (pod("p", gpus=1), "Insufficient nvidia.com/gpu"),
    "memory of HAMi": (pod("p", gpus=1, requests={"nvidia.com/gpumem": "99999"}), "Insufficient nvidia.com/gpumem"),
    "memory of gpushare": (pod("p", requests={"aliyun.com/gpu-mem": "8"}), "Insufficient aliyun.com/gpu-mem"),
    "a share": (
        pod("p", metadata={"annotations": {"corral.dev/gpu-share": "0.5"}}),
        "node(s) had no GPU with enough of it left",
    ),
}


@pytest.mark.parametrize(("wants", "said"), SHORT.values(), ids=SHORT)
def test_what_is_short_is_called_by_the_name_under_which_it_was_asked_for(wants: SchedulingPod, said: str) -> None:
    there = board([node("one")], [wants])
    assert placed(there) == {}
    assert f"1 {said}" in told(there)["p"]
    assert condition(there, "p")["reason"] == "Unschedulable"


def test_a_pod_that_cannot_be_read_asks_no_autoscaler_for_nodes() -> None:
    there = board([node("one", gpus=1)], [pod("p", metadata={"annotations": {"corral.dev/gpu-share": "much"}})])
    assert placed(there) == {}
    assert condition(there, "p")["reason"] == "SchedulerError"
