"""F29: two gangs that each need 60 % come together, in a thousand orders of news: exactly one runs, the other hears why.

Invariants I3 and I4, on the board; the same with processes on both servers is in `tests/scheduling/test_gangs_start_whole.py`.
"""

import random

import msgspec

from corral.kinds.scheduling.names import GANG, GANG_SIZE
from corral.kinds.scheduling.pod_view import SchedulingPod
from tests.control.scheduling.scene import NOW, board, carried_out, decide, node, pod

SEEDS = 1000
SIZE = 6


def member(gang: str, index: int) -> SchedulingPod:
    marks = {"labels": {GANG: gang}, "annotations": {GANG_SIZE: str(SIZE)}}
    made = pod(f"{gang}-{index}", gpus=1, metadata=marks)
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, uid=f"uid-{gang}-{index}"))


def test_exactly_one_runs_and_the_other_hears_why() -> None:
    for seed in range(SEEDS):
        chance = random.Random(seed)
        news = [member(gang, index) for gang in ("one", "two") for index in range(SIZE)]
        chance.shuffle(news)
        there = board([node("a", gpus=5), node("b", gpus=5)], [])
        given: list[str] = []
        for one in news:
            there.take_pod(None, one, NOW)
            if chance.random() < 0.5:
                decided = decide(there)
                carried_out(there, decided.decisions)
                given += [decision.gang for decision in decided.decisions]
        decided = decide(there)
        given += [decision.gang for decision in decided.decisions]
        assert len(given) == SIZE, f"seed {seed}: {given}"
        assert len(set(given)) == 1, f"seed {seed}: {given}"
        loser = "ns/two" if given[0] == "ns/one" else "ns/one"
        told = there.refusal_of(loser)
        assert told is not None
        assert (told.code, dict(told.needed).get("pods"), dict(told.free).get("pods")) == ("does-not-fit", 6, 4), told
