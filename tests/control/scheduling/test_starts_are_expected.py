"""When a gang will start: learnt from gangs that were seen, in a band that is as wide as estimates were wrong; or nobody can tell."""

from random import Random

import msgspec
import pytest

from corral.control.scheduling.scenes.expecting import Expected, counted_for, expected_start, learn, past_of
from corral.control.scheduling.scenes.runs import ended_runs
from corral.control.scheduling.scenes.scene import Scene
from corral.control.scheduling.scenes.snapshot import QueueSaid, Snapshot
from corral.kinds.queues.queue import QUEUE
from corral.kinds.scheduling.names import QUEUE as QUEUE_LABEL
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.admission.amounts import GPU
from corral.placement.estimates.gang_runs import GangRun
from corral.placement.estimates.history import Around, ahead_seen, learnt_from, standing_seen
from corral.reconcile.moments import stamp_of
from tests.control.scheduling.scene import NOW, node, pod


def since(made: SchedulingPod, bound: float, ended: float | None = None, came: float | None = None) -> SchedulingPod:
    """A pod with the times that a server and a node write."""
    conditions = [{"type": "PodScheduled", "status": "True", "lastTransitionTime": stamp_of(bound)}]
    if ended is not None:
        conditions.append({"type": "Ready", "status": "False", "lastTransitionTime": stamp_of(ended)})
    told = msgspec.to_builtins(made)
    told["status"]["conditions"] = conditions
    told["metadata"]["creationTimestamp"] = stamp_of(bound if came is None else came)
    return msgspec.convert(told, SchedulingPod)


def in_queue(name: str, gpus: int, queue: str, **more: str) -> SchedulingPod:
    return pod(name, gpus, metadata={"labels": {QUEUE_LABEL: queue}}, **more)


def ended(count: int, seconds: float) -> list[SchedulingPod]:
    made = (pod(f"old-{at}", 1, on="a", phase="Succeeded") for at in range(count))
    return [since(one, NOW - 9000 + 10 * at, NOW - 9000 + 10 * at + seconds) for at, one in enumerate(made)]


def told(pods: list[SchedulingPod], gang: str, past: list[SchedulingPod], *queues: QueueSaid) -> Expected:
    names = frozenset({"corral"})
    scene = Scene(Snapshot(taken=NOW, schedulers=("corral",), nodes=(node("a", 4),), pods=tuple(pods), queues=queues))
    scene.decide()
    runs = ended_runs(past, names)
    learnt = learn(past_of(scene.desk, runs), counted_for(scene.desk, gang), NOW)
    found = expected_start(scene.desk, gang, learnt, NOW)
    assert found is not None
    return found


HOLDER = since(pod("holder", 4, on="a", phase="Running"), NOW - 300)


def test_from_nothing_nothing_is_told() -> None:
    found = told([HOLDER, pod("next", 2)], "uid-next", ended(3, 600))
    assert found.start is None
    assert found.words == (
        "nobody can tell: of 12 jobs that it takes to learn how long they run 3 have ended here,"
        " and not all before it say it themselves"
    )
    assert found.document() == {"unknown": found.unknown, "ended": 3}


def test_whoever_runs_is_taken_to_run_as_long_as_others_did() -> None:
    found = told([HOLDER, pod("next", 2)], "uid-next", ended(12, 900))
    assert found.start is not None
    assert found.start.expected == pytest.approx(600, abs=60)
    one = found.start
    assert one.earliest <= one.likely_from <= one.expected <= one.likely_to <= one.latest
    assert found.words.startswith("in about 10 min; 50 %: ")
    assert found.words.endswith("(a wide guess: 0 of the 8 earlier starts are known that it takes to tell)")


def test_whoever_runs_longer_than_any_that_ended_says_nothing() -> None:
    found = told([HOLDER, pod("next", 2)], "uid-next", ended(12, 60))
    assert found.unknown == "all that runs has run longer already than any job that has ended here"


def test_a_queue_that_has_its_fill_waits_for_its_own_gangs_only() -> None:
    limit = QueueSaid(kind=QUEUE.qualified, name="vision", spec={"limit": {"nvidia.com/gpu": 1}})
    other = QueueSaid(kind=QUEUE.qualified, name="speech")
    own = since(in_queue("own", 1, "vision", on="a", phase="Running"), NOW - 60)
    foreign = since(in_queue("other", 1, "speech", on="a", phase="Running"), NOW - 890)
    found = told([own, foreign, in_queue("next", 1, "vision")], "uid-next", ended(12, 900), limit, other)
    assert found.start is not None
    assert found.start.expected == pytest.approx(840, abs=90)


def test_who_asks_for_more_than_its_queue_may_have_is_told_so() -> None:
    limit = QueueSaid(kind=QUEUE.qualified, name="vision", spec={"limit": {"nvidia.com/gpu": 1}})
    found = told([HOLDER, in_queue("next", 2, "vision")], "uid-next", ended(12, 900), limit)
    assert found.unknown == "it asks for more than it may ever have"


def first_come_first_served(seed: int, number: int, gpus: int) -> list[GangRun]:
    """Gangs on a few GPUs that wait for each other, in the order in which they come."""
    drawn, free, now, runs, last = Random(seed), [0.0] * gpus, 0.0, [], 0.0
    for at in range(number):
        now += drawn.expovariate(1 / 330)
        size = drawn.choice((1, 1, 2, 4))
        free.sort()
        last = max(now, free[size - 1], last)
        length = drawn.lognormvariate(6.4, 1.0)
        free[:size] = [last + length] * size
        runs.append(
            GangRun(uid=f"g{at}", counted=GPU, size=1000 * size, arrived=now, started=last, ended=last + length)
        )
    return runs


def cut(run: GangRun, at: float) -> GangRun:
    """A gang as it is known at a time."""
    started = run.started if run.started is not None and run.started <= at else None
    ended = run.ended if started is not None and run.ended is not None and run.ended <= at else None
    return msgspec.structs.replace(run, started=started, ended=ended)


def test_bands_hold_what_they_promise_on_queues_that_were_seen() -> None:
    within, halves, asked = 0, 0, 0
    for seed in range(2):
        runs = first_come_first_served(seed, 420, 8)
        for run in [one for one in runs[150:] if one.waited][::14]:
            seen = [cut(one, run.arrived) for one in runs if one.arrived <= run.arrived and one.uid != run.uid]
            starts = learnt_from(seen, 8000, {}, run.arrived)
            waiting = tuple(one for one in seen if one.started is None)
            running = tuple(one for one in seen if one.started is not None and one.ended is None)
            around = Around(running, waiting, 8000, {})
            ahead, standing = ahead_seen(run, around, run.arrived), standing_seen(run, around, run.arrived)
            found = starts.say(run.uid, ahead, standing, run.arrived)
            waited = (run.started or 0.0) - run.arrived
            within += found.earliest <= waited <= found.latest
            halves += found.likely_from <= waited <= found.likely_to
            asked += 1
    assert asked > 20
    assert 0.6 <= within / asked <= 0.97
    assert 0.25 <= halves / asked <= 0.75
