"""Progress in a look at a job: written at most so often, and a target ends the job at once."""

from typing import Any

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Plan
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import Report, World
from tests.domain.reconcile.plan_reading import after, gone, message_in, states_in, status_in, written
from tests.domain.reconcile.training_builders import NOW, every_pod, every_service, manifest, with_status

TARGET = {"stopWhen": {"metric": "accuracy", "reaches": 0.9}}


def running(progress: Object | None, held: Object | None = None) -> Object:
    policy = {} if progress is None else {"progress": progress}
    obj = manifest("PyTorchJob", runPolicy=policy, Master=1)
    fields = {"startTime": stamp_of(NOW - 600)} | ({} if held is None else {"progress": held})
    return with_status(obj, "Created", "Running", **fields)


def look(obj: Object, report: Report | None, **more: Any) -> Plan:
    job = read_job(obj)
    return decide(World(obj, every_pod(job), every_service(job), report=report, **more), NOW)


def test_the_first_report_is_written_at_once() -> None:
    plan = look(running({"totalSteps": 200}), Report(step=50, since=NOW))
    assert written(plan)["progress"] == {"step": 50, "total": 200, "percent": 25.0, "stepTime": stamp_of(NOW)}


def test_a_report_without_a_policy_is_told_as_well() -> None:
    plan = look(running(None), Report(step=50, total=100, since=NOW))
    assert written(plan)["progress"]["percent"] == 50.0


def test_the_next_report_waits_for_its_turn() -> None:
    obj = running({}, {"step": 50, "stepTime": stamp_of(NOW - 4)})
    obj["status"]["replicaStatuses"] = written(look(obj, Report(step=50, since=NOW - 4)))["replicaStatuses"]
    plan = look(obj, Report(step=60, since=NOW))
    assert status_in(plan) is None
    assert plan.look_again_after == 6.0


def test_no_report_changes_nothing() -> None:
    held = {"step": 50, "stepTime": stamp_of(NOW - 4)}
    assert written(look(running({}, held), None))["progress"] == held


def test_a_job_at_its_target_ends_well_at_once() -> None:
    obj = running(TARGET, {"step": 50, "stepTime": stamp_of(NOW - 1)})
    plan = look(obj, Report(step=51, metrics={"accuracy": 0.93}, since=NOW))
    assert states_in(plan) == ["Created", "Running=False", "Succeeded"]
    assert message_in(plan, "Succeeded") == "PyTorchJob job stopped at its target: accuracy reached 0.93."
    assert written(plan)["progress"]["targetReached"] is True
    assert written(plan)["progress"]["metrics"] == {"accuracy": 0.93}
    assert written(plan)["replicaStatuses"]["Master"]["succeeded"] == 1
    assert gone(plan) == []


def test_the_pods_of_a_job_at_its_target_go_although_the_policy_keeps_them() -> None:
    obj = running(TARGET)
    ended = after(obj, look(obj, Report(metrics={"accuracy": 0.9}, since=NOW)))
    assert gone(look(ended, None)) == ["job-master-0"]


def test_a_job_before_its_target_goes_on() -> None:
    plan = look(running(TARGET), Report(step=51, metrics={"accuracy": 0.8}, since=NOW))
    assert "Succeeded" not in states_in(plan)
    assert "targetReached" not in written(plan)["progress"]
