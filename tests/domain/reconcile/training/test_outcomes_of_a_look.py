"""What the pods of a job mean for it: running, restarting, succeeded, failed; success wins, and the words are fixed."""

from typing import Any, NamedTuple

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Plan
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import World
from tests.domain.reconcile.plan_reading import (
    after,
    events_in,
    gone,
    made,
    message_in,
    reasons_in,
    states_in,
    status_in,
    written,
)
from tests.domain.reconcile.training_builders import NOW, every_pod, every_service, manifest, pod, with_status


class Seen(NamedTuple):
    """A job, the phase of each of its pods, and what becomes of it."""

    kind: str
    roles: dict[str, Any]
    phases: dict[str, str]
    want: list[str]
    want_message: str = ""


NEVER = {"replicas": 1, "restartPolicy": "Never"}
AGAIN = {"replicas": 1, "restartPolicy": "OnFailure"}
BY_CODE = {"replicas": 1, "restartPolicy": "ExitCode"}

SEEN: dict[str, Seen] = {
    "nothing runs yet": Seen("PyTorchJob", {"Master": 1, "Worker": 1}, {"Master": "Pending"}, ["Created"]),
    "the master runs": Seen(
        "PyTorchJob", {"Master": 1, "Worker": 1}, {"Master": "Running"}, ["Created", "Running"], "PyTorchJob job is running."
    ),
    "a worker runs without master": Seen(
        "PyTorchJob", {"Worker": 2}, {"Worker": "Running"}, ["Created", "Running"], "PyTorchJob ml/job is running."
    ),
    "the master is done": Seen(
        "PyTorchJob",
        {"Master": 1, "Worker": 1},
        {"Master": "Succeeded", "Worker": "Running"},
        ["Created", "Succeeded"],
        "PyTorchJob job is successfully completed.",
    ),
    "the chief is done": Seen(
        "TFJob",
        {"Chief": 1, "Worker": 1},
        {"Chief": "Succeeded", "Worker": "Running"},
        ["Created", "Succeeded"],
        "TFJob ml/job successfully completed.",
    ),
    "success wins over a failure for good": Seen(
        "TFJob", {"Chief": NEVER, "Worker": NEVER}, {"Chief": "Succeeded", "Worker": "Failed"}, ["Created", "Succeeded"]
    ),
    "success wins over an exit code that is not retried": Seen(
        "TFJob", {"Chief": NEVER, "Worker": BY_CODE}, {"Chief": "Succeeded", "Worker": "Failed 1"}, ["Created", "Succeeded"]
    ),
    "success wins over a restart": Seen(
        "TFJob", {"Chief": NEVER, "Worker": AGAIN}, {"Chief": "Succeeded", "Worker": "Failed"}, ["Created", "Succeeded"]
    ),
    "a failure for good": Seen(
        "PyTorchJob",
        {"Master": NEVER, "Worker": NEVER},
        {"Master": "Running", "Worker": "Failed"},
        ["Created", "Failed"],
        "PyTorchJob job is failed because 1 Worker replica(s) failed.",
    ),
    "a failure for good of TensorFlow": Seen(
        "TFJob",
        {"Chief": NEVER, "PS": NEVER},
        {"Chief": "Running", "PS": "Failed"},
        ["Created", "Failed"],
        "TFJob ml/job has failed because 1 PS replica(s) failed.",
    ),
    "an exit code that is not retried": Seen(
        "JAXJob",
        {"Worker": BY_CODE},
        {"Worker": "Failed 1"},
        ["Created", "Failed"],
        'job "job" is failing because "Worker" replica(s) failed.',
    ),
    "an exit code that is retried": Seen(
        "JAXJob",
        {"Worker": BY_CODE},
        {"Worker": "Failed 130"},
        ["Created", "Restarting"],
        "job job is restarting because Worker replica(s) failed.",
    ),
    "no exit code at all": Seen("JAXJob", {"Worker": BY_CODE}, {"Worker": "Failed"}, ["Created", "Restarting"]),
    "a failed pod that may come again": Seen(
        "PaddleJob", {"Worker": AGAIN}, {"Worker": "Failed 1"}, ["Created", "Restarting"]
    ),
    "XGBoost was always running": Seen(
        "XGBoostJob",
        {"Master": NEVER},
        {"Master": "Succeeded"},
        ["Created", "Running=False", "Succeeded"],
        "XGBoostJob job is successfully completed.",
    ),
    "a worker that runs while it is taken away": Seen(
        "JAXJob",
        {"Worker": AGAIN},
        {"Worker": "Running deleted"},
        ["Created", "Restarting"],
        "JAXJob job is restarting because 1 Worker replica(s) failed.",
    ),
    "a worker that is taken away for good": Seen(
        "JAXJob",
        {"Worker": NEVER},
        {"Worker": "Running deleted"},
        ["Created", "Failed"],
        "JAXJob job is failed because 1 Worker replica(s) failed.",
    ),
    "a worker that is taken away before it ran": Seen(
        "JAXJob", {"Worker": NEVER}, {"Worker": "Pending deleted"}, ["Created"]
    ),
    "a worker that is taken away after it failed": Seen(
        "JAXJob", {"Worker": AGAIN}, {"Worker": "Failed deleted"}, ["Created"]
    ),
    "an MPI worker that is taken away": Seen(
        "MPIJob", {"Launcher": NEVER, "Worker": NEVER}, {"Launcher": "Running", "Worker": "Running deleted"}, ["Created", "Running"]
    ),
}  # fmt: skip


def seen(case: Seen) -> tuple[Object, Plan]:
    obj = manifest(case.kind, **case.roles)
    job = read_job(obj)
    pods = []
    for role, told in case.phases.items():
        phase, _, more = told.partition(" ")
        code = int(more) if more.isdecimal() else 0 if phase == "Succeeded" else None
        pods.append(pod(job, role, 0, phase, exit_code=code, deleting=more == "deleted"))
    return obj, decide(World(obj, pods, every_service(job)), NOW)


@pytest.mark.parametrize("case", SEEN.values(), ids=SEEN)
def test_pods_mean_something_for_the_job(case: Seen) -> None:
    _, plan = seen(case)
    assert states_in(plan) == case.want
    if case.want_message:
        assert message_in(plan, case.want[-1]) == case.want_message


@pytest.mark.parametrize("case", SEEN.values(), ids=SEEN)
def test_an_end_has_a_time_and_nothing_else_happens_in_that_look(case: Seen) -> None:
    _, plan = seen(case)
    is_over = case.want[-1] in ("Succeeded", "Failed")
    assert ("completionTime" in written(plan)) is is_over
    assert not is_over or (gone(plan), made(plan)) == ([], [])


def test_dynamic_workers_may_fail() -> None:
    obj = manifest("TFJob", enableDynamicWorker=True, Worker={"replicas": 2, "restartPolicy": "Never"})
    job = read_job(obj)
    plan = decide(World(obj, [pod(job, "Worker", 0), pod(job, "Worker", 1, "Failed", exit_code=1)]), NOW)
    assert states_in(plan) == ["Created", "Running"]
    assert gone(plan) == []


def test_only_a_permanent_exit_code_is_told_as_a_warning() -> None:
    told = {
        case: [one.type for one in events_in(seen(SEEN[case])[1]) if one.reason.endswith("JobFailed")]
        for case in ("an exit code that is not retried", "a failure for good")
    }
    assert told == {"an exit code that is not retried": ["Warning"], "a failure for good": ["Normal"]}


def test_counts_are_told_by_role_and_what_still_runs_has_succeeded_with_the_job() -> None:
    obj = manifest("PyTorchJob", Master=1, Worker=3)
    job = read_job(obj)
    pods = [pod(job, "Worker", 0), pod(job, "Worker", 1, "Pending"), pod(job, "Worker", 2, "Failed")]
    selector = "training.kubeflow.org/job-name=job,training.kubeflow.org/operator-name=pytorchjob-controller"
    counts = {
        phase: written(decide(World(obj, [pod(job, "Master", 0, phase), *pods]), NOW))["replicaStatuses"]
        for phase in ("Running", "Succeeded")
    }
    master, worker = (
        {"selector": f"{selector},training.kubeflow.org/replica-type={role}"} for role in ("master", "worker")
    )
    assert counts == {
        "Running": {"Master": {"active": 1, **master}, "Worker": {"active": 1, "failed": 1, **worker}},
        "Succeeded": {"Master": {"succeeded": 1, **master}, "Worker": {"succeeded": 1, "failed": 1, **worker}},
    }


def test_a_kind_without_scale_tells_no_selector() -> None:
    obj = manifest("TFJob", Worker=2)
    plan = decide(World(obj, every_pod(read_job(obj))), NOW)
    assert written(plan)["replicaStatuses"] == {"Worker": {"active": 2}}


def test_a_failed_pod_is_replaced_after_its_failure_is_written() -> None:
    obj = with_status(manifest("PyTorchJob", Master=1, Worker=2), "Created", "Running", startTime=stamp_of(NOW - 60))
    job = read_job(obj)
    pods = [pod(job, "Master", 0), pod(job, "Worker", 0), pod(job, "Worker", 1, "Failed", exit_code=137)]
    plan = decide(World(obj, pods, every_service(job)), NOW)
    told, removals = plan.stages
    assert states_in(Plan.of(*told)) == ["Created", "Restarting"]
    assert gone(Plan.of(*removals)) == ["job-worker-1"]
    assert made(plan) == []
    assert written(plan)["restarts"] == 1
    assert written(plan)["counted"] == ["uid-of-job-worker-1"]
    (failure,) = written(plan)["failures"]
    assert (failure["pod"], failure["exitCode"], failure["class"]) == ("job-worker-1", 137, "infra")
    by_pod = "job job is restarting because Worker replica(s) failed."
    by_count = "PyTorchJob job is restarting because 1 Worker replica(s) failed."
    assert [one.message for one in events_in(plan) if one.reason == "PyTorchJobRestarting"] == [by_pod, by_count]
    assert reasons_in(plan)[:2] == ["ExitedWithCode", "PodFailed"]
    assert events_in(plan)[0].message == "Pod: ml.job-worker-1 exited with code 137"


def test_tensorflow_tells_a_restart_in_one_form() -> None:
    obj = manifest("TFJob", Worker={"replicas": 1, "restartPolicy": "OnFailure"})
    plan = decide(World(obj, [pod(read_job(obj), "Worker", 0, "Failed")]), NOW)
    assert [one.message for one in events_in(plan) if one.reason == "TFJobRestarting"] == [
        "job job is restarting because Worker replica(s) failed."
    ]


def test_a_failure_that_was_written_is_not_written_or_told_twice() -> None:
    """The operator may die between the status and the removal: then only the removal is left to do."""
    obj = with_status(manifest("PyTorchJob", Worker=2), "Created", "Running", startTime=stamp_of(NOW - 60))
    job = read_job(obj)
    world = World(obj, [pod(job, "Worker", 0), pod(job, "Worker", 1, "Failed")], every_service(job))
    again = World(after(obj, decide(world, NOW)), world.pods, world.services)
    plan = decide(again, NOW + 1)
    assert status_in(plan) is None
    assert events_in(plan) == []
    assert gone(plan) == ["job-worker-1"]


def test_a_failure_that_was_told_is_not_told_again_with_other_news() -> None:
    obj = with_status(manifest("PyTorchJob", Worker=2), "Created", "Running", startTime=stamp_of(NOW - 60))
    job = read_job(obj)
    failed = pod(job, "Worker", 1, "Failed")
    told = after(obj, decide(World(obj, [pod(job, "Worker", 0), failed], every_service(job)), NOW))
    plan = decide(World(told, [pod(job, "Worker", 0, "Pending"), failed], every_service(job)), NOW + 1)
    assert status_in(plan) is not None
    assert events_in(plan) == []


def test_late_news_of_a_pod_that_is_gone_count_no_second_time() -> None:
    """T4: after a restart the operator may hear once more of a failure that was counted and cleared away."""
    failure = {"class": "infra", "time": stamp_of(NOW), "role": "Worker", "podUid": "uid-of-job-worker-0"}
    obj = manifest("PyTorchJob", Worker={"replicas": 1, "restartPolicy": "ExitCode"})
    obj = with_status(obj, "Created", "Running", restarts=1, failures=[failure])
    job = read_job(obj)
    plan = decide(World(obj, [pod(job, "Worker", 0, "Failed", exit_code=137)], every_service(job)), NOW)
    assert (written(plan)["restarts"], len(written(plan)["failures"])) == (1, 1)
    assert gone(plan) == ["job-worker-0"]


def test_restarting_passes_when_the_rest_runs_on() -> None:
    obj = with_status(manifest("PyTorchJob", Worker=2), "Created", "Restarting", startTime=stamp_of(NOW - 60))
    job = read_job(obj)
    plan = decide(World(obj, [pod(job, "Worker", 0)], every_service(job)), NOW)
    assert states_in(plan) == ["Created", "Running"]
    assert made(plan) == ["job-worker-1"]


def test_a_pod_that_is_gone_is_no_longer_remembered_as_counted() -> None:
    obj = with_status(manifest("PyTorchJob", Worker=1), "Created", counted=["uid-of-job-worker-0", "uid-of-another"])
    plan = decide(World(obj, [pod(read_job(obj), "Worker", 0, "Failed")]), NOW)
    assert written(plan)["counted"] == ["uid-of-job-worker-0"]


def test_only_the_last_ten_failures_are_kept() -> None:
    old = [{"class": "user", "time": stamp_of(NOW - 60), "pod": f"old-{number}"} for number in range(10)]
    obj = with_status(manifest("PyTorchJob", Worker=1), "Created", failures=old)
    plan = decide(World(obj, [pod(read_job(obj), "Worker", 0, "Failed")]), NOW)
    assert [one["pod"] for one in written(plan)["failures"]] == [*(f"old-{n}" for n in range(1, 10)), "job-worker-0"]
