"""Limits: so many restarts, so much time; and the time after which an ended job goes.

A restart in place counts when the sum reaches the limit; a replaced pod counts beyond it: a limit of three lets a pod be
replaced three times, and the fourth failure ends the job.
"""

from typing import Any, NamedTuple

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Delete, Plan
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import World
from tests.domain.reconcile.plan_reading import after, gone, message_in, states_in, status_in, written
from tests.domain.reconcile.training_builders import NOW, every_pod, every_service, manifest, pod, with_status

BACKOFF = "Job job has failed because it has reached the specified backoff limit"
DEADLINE = "Job job has failed because it was active longer than specified deadline"
PREEMPTED = {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]}


class Tried(NamedTuple):
    """How often the workers of a job were started again, and whether that is too often."""

    limit: int | None
    want_end: bool
    in_place: tuple[int, ...] = (0, 0)
    """Restarts of the containers of each running worker."""
    replaced: int = 0
    """Failures counted before."""
    failing: dict[str, Any] | None = None
    """One more worker that has failed just now."""
    policy: str = "OnFailure"


TRIED: dict[str, Tried] = {
    "no limit": Tried(None, False, (50, 50), 50, {}),
    "no restart at limit zero": Tried(0, False),
    "one restart in place at limit zero": Tried(0, True, (1, 0)),
    "below the limit in place": Tried(3, False, (1, 1)),
    "at the limit in place": Tried(3, True, (2, 1)),
    "one pod at the limit": Tried(3, True, (3, 0)),
    "restarts in place of pods that never restart": Tried(3, False, (9, 9), policy="Never"),
    "restarts in place count for exit codes too": Tried(1, True, (1, 0), policy="ExitCode"),
    "the first failure at limit zero": Tried(0, True, failing={}),
    "the third replacement of three": Tried(3, False, replaced=2, failing={}),
    "the fourth of three": Tried(3, True, replaced=3, failing={}),
    "as many as the limit, and nothing fails": Tried(3, False, replaced=3),
    "both kinds together beyond the limit": Tried(3, True, (1, 1), 1, {}),
    "both kinds together at the limit": Tried(3, False, (1, 0), 1, {}),
    "a preempted pod at limit zero": Tried(0, False, failing=PREEMPTED),
    "a preempted pod at the limit": Tried(3, False, replaced=3, failing=PREEMPTED),
    "a preempted pod beside restarts in place": Tried(3, False, (1, 1), 2, PREEMPTED),
}


def tried(case: Tried) -> Plan:
    policy = {} if case.limit is None else {"backoffLimit": case.limit}
    obj = manifest("PyTorchJob", runPolicy=policy, Worker={"replicas": 3, "restartPolicy": case.policy})
    obj = with_status(obj, "Created", "Running", startTime=stamp_of(NOW - 60), restarts=case.replaced)
    job = read_job(obj)
    pods = [pod(job, "Worker", index, restarts=count) for index, count in enumerate(case.in_place)]
    if case.failing is not None:
        pods.append(pod(job, "Worker", 2, "Failed", **case.failing))
    return decide(World(obj, pods, every_service(job)), NOW)


@pytest.mark.parametrize("case", TRIED.values(), ids=TRIED)
def test_restarts_are_limited(case: Tried) -> None:
    plan = tried(case)
    if case.want_end:
        assert states_in(plan) == ["Created", "Running=False", "Failed"]
        assert message_in(plan, "Failed") == BACKOFF
        assert written(plan)["completionTime"] == stamp_of(NOW)
        assert gone(plan) == []
    else:
        assert "Failed" not in states_in(plan)
        assert gone(plan) == ([] if case.failing is None else ["job-worker-2"])


def test_a_preempted_pod_is_written_down_and_not_counted() -> None:
    status = written(tried(TRIED["a preempted pod at the limit"]))
    assert status["restarts"] == 3
    assert [one["class"] for one in status["failures"]] == ["preempted"]


def test_init_containers_count_and_pods_that_do_not_run_do_not() -> None:
    obj = manifest("PyTorchJob", runPolicy={"backoffLimit": 2}, Worker={"replicas": 2, "restartPolicy": "OnFailure"})
    job = read_job(obj)
    init: Object = {"initContainerStatuses": [{"name": "wait", "restartCount": 1}]}
    waits = [pod(job, "Worker", 0, restarts=1), pod(job, "Worker", 1, "Pending", restarts=5)]
    assert states_in(decide(World(obj, waits), NOW)) == ["Created", "Running"]
    runs = [pod(job, "Worker", 0, restarts=1, **init), pod(job, "Worker", 1)]
    assert states_in(decide(World(obj, runs), NOW)) == ["Created", "Failed"]


def test_several_pods_that_fail_together_count_each() -> None:
    obj = manifest("PyTorchJob", runPolicy={"backoffLimit": 5}, Worker={"replicas": 3, "restartPolicy": "OnFailure"})
    plan = decide(World(obj, every_pod(read_job(obj), "Failed")), NOW)
    assert written(plan)["restarts"] == 3


def with_deadline(seconds: int, started: float | None, **fields: Any) -> World:
    obj = manifest("PyTorchJob", runPolicy={"activeDeadlineSeconds": seconds}, Master=1)
    times = {} if started is None else {"startTime": stamp_of(started)}
    obj = with_status(obj, "Created", "Running", **times, **fields)
    job = read_job(obj)
    return World(obj, every_pod(job), every_service(job))


def test_a_deadline_is_waited_for() -> None:
    plan = decide(with_deadline(100, NOW - 40), NOW)
    assert plan.look_again_after == 60.0


def test_a_deadline_counts_from_the_first_look() -> None:
    plan = decide(with_deadline(100, None), NOW)
    assert written(plan)["startTime"] == stamp_of(NOW)
    assert plan.look_again_after == 100.0


def test_a_deadline_ends_the_job_when_it_comes() -> None:
    plan = decide(with_deadline(100, NOW - 100), NOW)
    assert states_in(plan) == ["Created", "Running=False", "Failed"]
    assert message_in(plan, "Failed") == DEADLINE
    assert written(plan)["completionTime"] == stamp_of(NOW)
    assert plan.look_again_after is None


def test_a_deadline_of_nothing_has_passed() -> None:
    assert message_in(decide(with_deadline(0, None), NOW), "Failed") == DEADLINE


def test_a_fraction_of_a_second_is_not_spun_away() -> None:
    assert decide(with_deadline(100, NOW - 100), NOW - 0.01).look_again_after == 0.05


def test_a_job_that_has_done_its_work_does_not_fail_for_being_late() -> None:
    """The operator may have been away when the deadline came."""
    world = with_deadline(100, NOW - 1000)
    done = World(world.job, [pod(read_job(world.job), "Master", 0, "Succeeded", exit_code=0)], world.services)
    assert states_in(decide(done, NOW)) == ["Created", "Running=False", "Succeeded"]


def ended(ttl: int | None, *, kind: str = "PyTorchJob", state: str = "Succeeded", **more: Any) -> World:
    policy = {**({} if ttl is None else {"ttlSecondsAfterFinished": ttl}), **more.pop("policy", {})}
    fields = {"completionTime": stamp_of(NOW - 10), **more}
    return World(with_status(manifest(kind, runPolicy=policy, Master=1), "Created", state, **fields))


def test_an_ended_job_waits_for_its_time() -> None:
    plan = decide(ended(30), NOW)
    assert plan.look_again_after == 20.0
    assert gone(plan, "PyTorchJob") == []


@pytest.mark.parametrize("state", ["Succeeded", "Failed"])
@pytest.mark.parametrize("ttl", [0, 10])
def test_an_ended_job_goes_when_its_time_has_come(ttl: int, state: str) -> None:
    (action,) = decide(ended(ttl, state=state), NOW)
    assert isinstance(action, Delete)
    assert (action.key.name, action.propagation, action.resource.kind) == ("job", "Background", "PyTorchJob")
    assert action.uid == ended(0).job["metadata"]["uid"]


KEPT: dict[str, World] = {
    "without a time": ended(None),
    "suspended": ended(0, policy={"suspend": True}),
}


def test_a_job_whose_end_has_no_time_goes_by_when_it_was_told() -> None:
    """Other operators leave the completion time out when an exit code was final."""
    (action,) = decide(ended(0, completionTime=None), NOW)
    assert isinstance(action, Delete)


@pytest.mark.parametrize("world", KEPT.values(), ids=KEPT)
def test_an_ended_job_stays(world: World) -> None:
    assert not decide(world, NOW)


@pytest.mark.parametrize(
    ("kind", "want"), {"PyTorchJob": "SuccessfulDeletePod", "XGBoostJob": "SuccessfulDeleteJob"}.items()
)
def test_kinds_tell_of_the_end_of_their_time_each_in_their_way(kind: str, want: str) -> None:
    (action,) = decide(ended(0, kind=kind), NOW)
    assert isinstance(action, Delete)
    assert action.told is not None
    assert action.told.done is not None
    assert (action.told.done.reason, action.told.done.message) == (want, "Deleted job: job")


def test_nothing_is_written_about_a_job_that_has_ended() -> None:
    world = ended(None)
    assert status_in(decide(world, NOW)) is None
    assert after(world.job, decide(world, NOW)) == world.job
