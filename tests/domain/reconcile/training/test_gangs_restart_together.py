"""Jobs that restart as a whole: one failure ends the attempt, the next begins when the last pod of the old one is gone."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Create, Patch, Plan
from corral.reconcile.training.decision import decide
from corral.reconcile.training.failures import DUMP_STACKS
from corral.reconcile.training.limits import GANG_BUDGET
from corral.reconcile.training.world import Report, World
from tests.domain.reconcile.plan_reading import (
    after,
    forced,
    gone,
    made,
    message_in,
    reasons_in,
    states_in,
    status_in,
    written,
)
from tests.domain.reconcile.training_builders import NOW, every_service, manifest, pod, with_status

GANG = {"corral.dev/restart-scope": "gang"}
NAMES = ["job-master-0", "job-worker-0", "job-worker-1"]
STARTED = stamp_of(NOW - 600)


def gang(policy: Object | None = None, *, restart: str = "OnFailure", **status: Any) -> Object:
    roles: Object = {
        role: {"replicas": count, "restartPolicy": restart} for role, count in (("Master", 1), ("Worker", 2))
    }
    obj = manifest("PyTorchJob", annotations=GANG, runPolicy=policy or {}, **roles)
    return with_status(obj, "Created", "Running", startTime=STARTED, **status)


def members(obj: Object, attempt: int = 0, **last: Any) -> list[PodView]:
    """Returns the pods of an attempt; what is said of the last one is given."""
    job = read_job(obj)
    marked: Object = {"annotations": {"corral.dev/attempt": str(attempt)}}
    phase = last.pop("phase", "Running")
    return [
        pod(job, "Master", 0, **marked),
        pod(job, "Worker", 0, **marked),
        pod(job, "Worker", 1, phase, **marked, **last),
    ]


def look(obj: Object, pods: list[PodView], **more: Any) -> Plan:
    return decide(World(obj, pods, every_service(read_job(obj)), **more), NOW)


def test_one_failure_takes_all_pods_and_makes_none() -> None:
    obj = gang()
    plan = look(obj, members(obj, phase="Failed", exit_code=1))
    assert states_in(plan) == ["Created", "Restarting"]
    assert gone(plan) == NAMES
    assert made(plan) == []
    assert (written(plan)["attempt"], written(plan)["restarts"]) == (1, 1)
    assert [one.get("attempt", 0) for one in written(plan)["failures"]] == [0]
    assert status_in(Plan.of(*plan.stages[0])) is not None, "status is written before anything goes"


def test_several_failures_together_count_once() -> None:
    obj = gang()
    job = read_job(obj)
    plan = look(obj, [pod(job, "Master", 0), pod(job, "Worker", 0, "Failed"), pod(job, "Worker", 1, "Failed")])
    assert (written(plan)["attempt"], written(plan)["restarts"]) == (1, 1)
    assert len(written(plan)["failures"]) == 2


def test_the_next_attempt_waits_until_the_last_pod_of_the_old_one_is_gone() -> None:
    obj = gang(attempt=1, restarts=1)
    job = read_job(obj)
    leaving = pod(job, "Worker", 1, deleting=True, annotations={"corral.dev/attempt": "0"})
    plan = look(obj, [leaving])
    assert (made(plan), gone(plan)) == ([], [])
    assert written(plan)["attempt"] == 1
    begun = look(obj, [])
    assert made(begun) == NAMES
    told = [
        one.object["metadata"]["annotations"] for one in begun if isinstance(one, Create) and one.resource.kind == "Pod"
    ]
    assert told == [{"corral.dev/attempt": "1"}] * 3


def test_pods_of_an_old_attempt_go_and_mean_nothing() -> None:
    """The operator may have died after the status was written: the old pods neither run nor fail for the new attempt."""
    obj = gang(attempt=1, restarts=1, counted=["uid-of-job-worker-1"])
    plan = look(obj, members(obj, phase="Failed", exit_code=1))
    assert gone(plan) == NAMES
    assert (written(plan)["attempt"], written(plan)["restarts"]) == (1, 1)
    assert written(plan)["replicaStatuses"]["Worker"].get("active", 0) == 0


def test_old_pods_on_a_lost_node_are_removed_by_force() -> None:
    obj = gang(attempt=1)
    plan = look(obj, members(obj, node="lost", deleting=True), lost_nodes={"lost": NOW - 60})
    assert forced(plan) == ["job-worker-1"]
    assert gone(plan) == ["job-master-0", "job-worker-0", "job-worker-1"]


def test_old_pods_on_a_node_lost_of_late_are_waited_for() -> None:
    obj = gang(attempt=1)
    plan = look(obj, members(obj, node="lost", deleting=True), lost_nodes={"lost": NOW - 40})
    assert forced(plan) == made(plan) == []
    assert plan.look_again_after == 20.0


def test_a_pod_taken_away_ends_the_attempt_without_counting() -> None:
    obj = gang({"backoffLimit": 0})
    plan = look(obj, members(obj, deleting=True))
    assert states_in(plan) == ["Created", "Restarting"]
    assert gone(plan) == ["job-master-0", "job-worker-0"]
    assert (written(plan)["attempt"], written(plan).get("restarts", 0)) == (1, 0)


LIMITS: dict[str, tuple[Object, int, bool]] = {
    "the last of the default budget": ({}, GANG_BUDGET - 1, False),
    "one beyond the default budget": ({}, GANG_BUDGET, True),
    "the last of a limit": ({"backoffLimit": 2}, 1, False),
    "one beyond a limit": ({"backoffLimit": 2}, 2, True),
}


@pytest.mark.parametrize(("policy", "before", "want_end"), LIMITS.values(), ids=LIMITS)
def test_attempts_are_limited(policy: Object, before: int, want_end: bool) -> None:
    obj = gang(policy, attempt=before, restarts=before)
    plan = look(obj, members(obj, before, phase="Failed", exit_code=1))
    assert (states_in(plan)[-1] == "Failed") is want_end
    assert written(plan)["attempt"] == before + (not want_end)
    assert gone(plan) == ([] if want_end else NAMES)


def test_policies_that_fail_the_job_still_do() -> None:
    for restart in ("Never", "ExitCode"):
        obj = gang(restart=restart)
        plan = look(obj, members(obj, phase="Failed", exit_code=1))
        assert states_in(plan) == ["Created", "Running=False", "Failed"]
        assert "attempt" not in written(plan)


def test_memory_that_was_too_small_twice_in_one_place_ends_the_job() -> None:
    oom = {
        "containerStatuses": [{"name": "pytorch", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]
    }
    before = {"class": "oom", "time": STARTED, "role": "Worker", "index": 1, "podUid": "an-earlier-one"}
    obj = gang(attempt=1, failures=[before])
    plan = look(obj, members(obj, 1, phase="Failed", **oom))
    assert states_in(plan)[-1] == "Failed"
    assert message_in(plan, "Failed") == 'job "job" is failing because "Worker" replica(s) failed.'
    elsewhere = gang(attempt=1, failures=[{**before, "index": 0}])
    assert states_in(look(elsewhere, members(elsewhere, 1, phase="Failed", **oom)))[-1] == "Restarting"


def silent(asked: float | None, *, policy: Object | None = None, **status: Any) -> tuple[Object, Plan]:
    """Returns a look at a job that reported its last step long ago, and whose pods were asked for their stacks."""
    progress = {"progress": {"hang": {"afterSeconds": 60}}}
    obj = with_status(manifest("PyTorchJob", runPolicy={**progress, **(policy or {})}, Worker=2), "Created", "Running")
    obj["status"] |= {"startTime": STARTED, "progress": {"step": 7, "stepTime": stamp_of(NOW - 500)}, **status}
    obj["status"]["conditions"][1]["lastTransitionTime"] = STARTED
    job, marks = read_job(obj), {} if asked is None else {DUMP_STACKS: stamp_of(asked)}
    pods = [pod(job, "Worker", index, annotations=marks, node=f"node-{index}") for index in range(2)]
    return obj, look(obj, pods, report=Report(step=7, since=NOW - 500))


def test_a_silent_job_is_asked_for_its_stacks() -> None:
    _, plan = silent(None)
    asked = [one for one in plan if isinstance(one, Patch)]
    assert [one.key.name for one in asked] == ["job-worker-0", "job-worker-1"]
    assert asked[0].body == {"metadata": {"annotations": {DUMP_STACKS: stamp_of(NOW)}}}
    assert plan.look_again_after == 10.0
    assert gone(plan) == []


def test_a_job_that_stays_silent_begins_anew_and_counts_once() -> None:
    obj, plan = silent(NOW - 10)
    assert states_in(plan) == ["Created", "Restarting"]
    assert (
        message_in(plan, "Restarting")
        == "PyTorchJob job hangs: no further step for 500 s; starting all its pods again."
    )
    assert reasons_in(plan) == ["PyTorchJobRestarting"]
    assert gone(plan) == ["job-worker-0", "job-worker-1"]
    assert made(plan) == []
    assert (written(plan)["attempt"], written(plan)["restarts"]) == (1, 1)
    assert [one["class"] for one in written(plan)["failures"]] == ["hang", "hang"]
    begun = look(after(obj, plan), [])
    assert made(begun) == ["job-worker-0", "job-worker-1"]


def test_a_job_that_hangs_too_often_fails() -> None:
    _, plan = silent(NOW - 10, policy={"backoffLimit": 1}, restarts=1, attempt=0)
    assert states_in(plan)[-1] == "Failed"
    assert gone(plan) == []


def test_a_failure_explains_the_silence() -> None:
    progress = {"progress": {"hang": {"afterSeconds": 60}}}
    obj = with_status(manifest("PyTorchJob", runPolicy=progress, Worker=2), "Created", "Running", startTime=STARTED)
    job = read_job(obj)
    pods = [pod(job, "Worker", 0), pod(job, "Worker", 1, "Failed")]
    plan = look(obj, pods, report=Report(step=7, since=NOW - 500))
    assert gone(plan) == ["job-worker-1"]
    assert "attempt" not in written(plan)
