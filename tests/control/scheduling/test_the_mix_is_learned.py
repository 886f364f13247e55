"""The scheduler runs the policy that is benchmarked: it learns the mix from the pods that come, and from those that are there."""

import random
from typing import Final

from corral.control.scheduling.board import Board
from corral.control.scheduling.crowd import Standing
from corral.kinds.scheduling.names import GPU_SHARE
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.potentials import policy
from corral.placement.potentials.observed import LearningPolicy
from corral.placement.potentials.statistics import NOTHING_KNOWN
from corral.placement.replay.playing import capacity_of, filled
from tests.control.scheduling.scene import NOW, board, decide, node, pod

NODES: Final = 24
ARRIVALS: Final = 340


def _pods(number: int, prefix: str = "p") -> list[SchedulingPod]:
    """Returns pods of a mix in which shares, single GPUs and whole nodes compete."""
    chance = random.Random(7)
    found = []
    for index in range(number):
        share = chance.choice(("", "", "0.6", "0.4", "0.25"))
        gpus = 0 if share else chance.choice((1, 1, 1, 2, 4, 8))
        marks = {"annotations": {GPU_SHARE: share}} if share else {}
        name = f"{prefix}{index}"
        uid = {"name": name, "uid": f"0-{index}", **marks}
        found.append(pod(name, gpus, metadata=uid, requests={"cpu": str(chance.choice((1, 4, 8)))}))
    return found


def _played(of: Board, pods: list[SchedulingPod]) -> int:
    """Lets pods come one after the other, each of which goes away again when it finds no room; returns thousandths of GPUs held."""
    for one in pods:
        of.take_pod(None, one, NOW)
        if not decide(of).decisions:
            of.take_pod(one, None, NOW)
    seated = [one for one in of.crowd if one.standing is Standing.SEATED]
    return sum(one.request.ask.gpu.total for one in seated)


def test_a_trace_fills_as_much_through_the_board_as_in_the_benchmark() -> None:
    nodes = [node(f"n{index}", 8) for index in range(NODES)]
    loop, pods = board(nodes), _pods(ARRIVALS)
    held = _played(loop, pods)

    offers = [loop.places[f"n{index}"].offer for index in range(NODES)]
    here = board(nodes, pods)
    asks = [known.request.ask._replace(rules=0) for known in here.crowd]
    run = filled(offers, asks, LearningPolicy(policy()), 0, lambda: 0.0)
    ignorant = filled(offers, asks, policy(), 0, lambda: 0.0)

    assert 100 * held / capacity_of(offers) == run.at_end
    assert run.at_end > ignorant.at_end


def test_after_a_restart_the_mix_is_that_of_the_pods_that_are_there() -> None:
    nodes = [node(f"n{index}", 8) for index in range(NODES)]
    bound = [pod(f"p{index}", 1, on=f"n{index % NODES}", phase="Running") for index in range(70)]

    restarted = board(nodes, bound)

    assert board(nodes, bound[:60]).room.policy.statistics == NOTHING_KNOWN
    assert restarted.room.policy.statistics.observed == 64
    assert [ask.gpu.number for ask, _ in restarted.room.policy.statistics.shares] == [1]


def test_pods_without_gpus_and_pods_that_only_change_teach_nothing() -> None:
    nodes = [node("n0", 8)]
    quiet = board(nodes, [pod(f"web{index}", on="n0", phase="Running") for index in range(100)])
    assert quiet.room.policy.statistics == NOTHING_KNOWN

    one = pod("p", 1)
    quiet.take_pod(None, one, NOW)
    for _ in range(100):
        quiet.take_pod(one, one, NOW)
    assert quiet.room.policy.statistics == NOTHING_KNOWN
