"""Shares of GPUs in the words of HAMi and of gpushare: how much a pod holds, on which nodes, and what their plugins are told."""

import json
from typing import Any

import pytest

from corral.control.scheduling.board import Board
from corral.control.scheduling.promises import State
from corral.control.scheduling.turns import Turns
from corral.kinds.objects import Object
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from tests.control.scheduling.scene import GPU, NOW, board, bound, changed, decide, node, placed, pod, told

MEMORY, PERCENTAGE, CORES = "nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"
LISTED = "GPU-a,10,24576,100,NVIDIA-A10,0,true:GPU-b,10,24576,100,NVIDIA-A10,0,true:"
REGISTERED: list[Object] = [
    {"id": "GPU-b", "index": 1, "count": 10, "devmem": 24576, "devcore": 100, "type": "NVIDIA-A10", "health": True},
    {
        "id": "GPU-a",
        "count": 10,
        "devmem": 24576,
        "devcore": 100,
        "type": "NVIDIA-A10",
        "mode": "hami-core",
        "health": True,
    },
]
GPU_MEMORY, GPU_COUNT = "aliyun.com/gpu-mem", "aliyun.com/gpu-count"


def hami_node(register: str = LISTED) -> SchedulingNode:
    return node("h", annotations={"hami.io/node-nvidia-register": register}, amounts={GPU: "20"})


def hami_pods(count: int, **amounts: int) -> list[SchedulingPod]:
    names = {"gpus": GPU, "memory": MEMORY, "percentage": PERCENTAGE, "cores": CORES}
    requests = {names[name]: str(amount) for name, amount in amounts.items()}
    return [pod(f"p{index}", requests=requests) for index in range(count)]


def handed(there: Board, annotation: str = "hami.io/vgpu-devices-to-allocate") -> list[str]:
    return [there.handed_over(one, NOW)[annotation] for one in decide(there).decisions]


HELD: dict[str, tuple[dict[str, int], int, str]] = {
    "memory of each of two GPUs": ({"gpus": 2, "memory": 12288}, 2, "GPU-a,NVIDIA,12288,0:GPU-b,NVIDIA,12288,0:;"),
    "half of the memory of each": ({"gpus": 2, "percentage": 50}, 2, "GPU-a,NVIDIA,12288,0:GPU-b,NVIDIA,12288,0:;"),
    "cores alone take all memory": ({"gpus": 1, "cores": 30}, 2, "GPU-a,NVIDIA,24576,30:;"),
    "cores and memory": ({"gpus": 1, "cores": 50, "memory": 1000}, 4, "GPU-a,NVIDIA,1000,50:;"),
    "all cores are the whole GPU": ({"gpus": 1, "cores": 100, "memory": 1000}, 2, "GPU-a,NVIDIA,1000,100:;"),
    "more cores than memory": ({"gpus": 1, "cores": 50, "percentage": 25}, 4, "GPU-a,NVIDIA,6144,50:;"),
    "one GPU when none is named": ({"memory": 6144}, 8, "GPU-a,NVIDIA,6144,0:;"),
    "whole GPUs": ({"gpus": 1}, 2, "GPU-a,NVIDIA,24576,0:;"),
}


@pytest.mark.parametrize(("amounts", "fit", "first"), HELD.values(), ids=HELD)
def test_amounts_of_hami_are_of_each_gpu(amounts: dict[str, int], fit: int, first: str) -> None:
    found = handed(board([hami_node()], hami_pods(9, **amounts)))
    assert len(found) == fit
    assert first.replace("GPU-a", "GPU").replace("GPU-b", "GPU") == found[0].replace("GPU-a", "GPU").replace(
        "GPU-b", "GPU"
    )


def test_containers_of_hami_share_what_the_widest_of_them_asks() -> None:
    def container(name: str, **amounts: str) -> Object:
        return {"name": name, "resources": {"limits": {GPU: "1", **amounts}}}

    both = [container("a", **{MEMORY: "4096"}), {"name": "between"}, container("b", **{MEMORY: "16384"})]
    there = board([hami_node()], [pod(f"p{index}", containers=both) for index in range(2)])
    (told_to,) = handed(there)
    assert [part.split(",")[2] if part else "" for part in told_to.split(";")] == ["4096", "", "16384", ""]


def test_gpus_of_init_containers_are_refused_in_the_words_of_hami() -> None:
    first = [{"name": "first", "resources": {"limits": {GPU: "1", MEMORY: "1000"}}}]
    there = board([hami_node()], [pod("p", initContainers=first)])
    assert placed(there) == {}
    assert "init containers" in told(there)["p"]


@pytest.mark.parametrize("register", [LISTED, json.dumps(REGISTERED)], ids=["list", "json"])
def test_gpus_are_read_in_either_way_in_which_hami_registers_them(register: str) -> None:
    there = board([hami_node(register)])
    offer = there.places["h"].offer
    assert [(gpu.uuid, gpu.milli, gpu.memory, gpu.numa) for gpu in offer.gpus] == [
        ("GPU-a", 1000, 24576, 0),
        ("GPU-b", 1000, 24576, 0),
    ]
    assert offer.model == "NVIDIA-A10"
    assert there.places["h"].complaint == ""


def test_gpus_that_are_not_well_or_cut_into_instances_are_not_given_away() -> None:
    ill = json.dumps([{**REGISTERED[0], "health": False}, {**REGISTERED[1], "mode": "mig"}])
    assert placed(board([hami_node(ill)], hami_pods(1, gpus=1))) == {}
    unreadable = board([hami_node('[{"id": 1}]')])
    assert "cannot be read" in unreadable.places["h"].complaint


def phased(one: SchedulingPod, phase: str, since: float = NOW) -> SchedulingPod:
    """Returns a pod as it looks when the plugin of HAMi has come so far with it."""
    marks = {"hami.io/bind-phase": phase, "hami.io/bind-time": str(int(since))}
    return changed(bound(one, "h"), metadata={"annotations": marks})


def test_pods_are_handed_to_hami_one_after_the_other() -> None:
    pods = hami_pods(3, memory=1000)
    there = board([hami_node()], pods)
    first, second, third = decide(there).decisions
    turns = Turns(there)
    assert [turns.must_wait(one, NOW) for one in (first, second, third)] == [False, True, True]
    assert not turns.must_wait(first, NOW)
    there.settle(first.uid, State.BOUND, "h")
    assert turns.must_wait(second, NOW)
    views = {one.metadata.uid: one for one in pods}
    allocating = phased(views[first.uid], "allocating")
    there.take_pod(views[first.uid], allocating, NOW)
    assert turns.must_wait(second, NOW)
    there.take_pod(allocating, phased(views[first.uid], "success"), NOW)
    assert [turns.must_wait(one, NOW) for one in (second, third)] == [False, True]
    there.take_pod(views[second.uid], None, NOW)
    assert not turns.must_wait(third, NOW)


def test_a_pod_that_hami_has_not_answered_is_waited_for_five_minutes_also_after_a_restart() -> None:
    first, second = hami_pods(2, memory=1000)
    there = board([hami_node()], [phased(first, "allocating"), second])
    (decision,) = decide(there).decisions
    assert Turns(there).must_wait(decision, NOW + 299)
    assert not Turns(there).must_wait(decision, NOW + 301)


def test_plugins_that_need_no_turns_are_handed_all_pods_at_once() -> None:
    there = board([share_node()], [sharing(f"p{index}", 512) for index in range(3)])
    turns = Turns(there)
    assert [turns.must_wait(one, NOW) for one in decide(there).decisions] == [False] * 3


def share_node(name: str = "g", memory: int = 16384, count: int = 1) -> SchedulingNode:
    return node(name, amounts={GPU_MEMORY: str(memory), GPU_COUNT: str(count)})


def sharing(name: str, memory: int, *, on: str = "", **options: Any) -> SchedulingPod:
    return pod(name, requests={GPU_MEMORY: str(memory)}, on=on, **options)


def test_memory_of_gpushare_is_in_the_unit_in_which_nodes_count_it() -> None:
    in_mebibytes = board([share_node()], [sharing("small", 512), sharing("large", 15872)])
    assert handed(in_mebibytes, "ALIYUN_COM_GPU_MEM_DEV") == ["16384", "16384"]
    in_gibibytes = board([share_node(memory=32, count=2)], [sharing(f"p{index}", 10) for index in range(3)])
    assert handed(in_gibibytes, "ALIYUN_COM_GPU_MEM_DEV") == ["16", "16"]


def test_memory_is_read_again_when_a_node_says_what_it_means() -> None:
    there = board([], [sharing("small", 512), sharing("p", 10)])
    assert placed(there) == {}
    there.take_node("g", share_node(memory=16))
    assert placed(there) == {"p": "g"}
    there.take_node("g", share_node())
    assert placed(there) == {"small": "g"}
    assert there.room.fleet.columns.gpu_memory[0, 0] == 16384 - 512 - 10


def test_nodes_that_mix_units_are_told_to_whoever_waits() -> None:
    runs = sharing("runs", 8, on="gib", metadata={"annotations": {"ALIYUN_COM_GPU_MEM_IDX": "0"}})
    there = board([share_node("gib", 16), share_node("mib", 16384)], [runs, sharing("waits", 8)])
    assert placed(there) == {}
    assert "in GiB here and in MiB there" in told(there)["waits"]
    there.take_node("mib", None)
    assert placed(there) == {"waits": "gib"}
    assert there.room.fleet.columns.gpu_memory[0, 0] == 0


def test_a_pod_that_changes_its_mind_is_read_again() -> None:
    first = sharing("p", 32)
    there = board([share_node(memory=16)], [first])
    assert placed(there) == {}
    there.take_pod(first, changed(first, spec={"containers": sharing("p", 8).spec.containers}), NOW)
    assert placed(there) == {"p": "g"}
