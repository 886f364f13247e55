"""MPIJob v2beta1 from its creation to its end: conditions, counts, suspension, clean-up and limits."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.reconcile.plan import Delete, LookAgainAfter, Patch, SetStatus, Update
from corral.reconcile.training.world import Report
from tests.domain.reconcile.mpi.builders import (
    NOW,
    STAMP,
    Cluster,
    heard,
    job_with,
    made,
    mpi_v2_job,
    pod,
    removed,
    started,
    workers,
)

WAIT = "WaitForWorkersReady"


def ended(ended: str = "Complete", **options: Any) -> Cluster:
    cluster = started(**options.pop("spec", {}))
    cluster.put(job_with(cluster.launcher, ended=ended, **options))
    cluster.launcher_pods = [pod("pi-launcher-x", "Succeeded" if ended == "Complete" else "Failed")]
    cluster.step()
    return cluster


def test_new_job_is_created_and_has_started() -> None:
    cluster = Cluster(mpi_v2_job())
    plan = cluster.step()
    assert cluster.conditions == [("Created", "True")]
    assert cluster.status["startTime"] == STAMP
    assert ("MPIJobCreated", "MPIJob ml/pi is created.") in heard(plan)


def test_job_runs_when_the_launcher_and_all_workers_do() -> None:
    cluster = Cluster(mpi_v2_job())
    cluster.step()
    cluster.pods, cluster.launcher_pods = [*workers(1), pod("pi-worker-1", "Pending")], [pod("pi-launcher-x")]
    cluster.step()
    assert cluster.conditions == [("Created", "True")]
    assert cluster.status["replicaStatuses"] == {"Launcher": {"active": 1}, "Worker": {"active": 1}}
    cluster.pods = workers(2)
    plan = cluster.step()
    assert cluster.conditions == [("Created", "True"), ("Running", "True")]
    assert heard(plan) == [("MPIJobRunning", "MPIJob ml/pi is running")]


def test_job_at_rest_needs_nothing() -> None:
    assert not started().decide()


def test_success_of_the_launcher_is_that_of_the_job() -> None:
    cluster = ended()
    assert cluster.conditions == [("Created", "True"), ("Running", "False"), ("Succeeded", "True")]
    assert cluster.status["completionTime"] == STAMP
    assert cluster.status["replicaStatuses"] == {"Launcher": {"succeeded": 1}, "Worker": {}}
    assert cluster.status["conditions"][-1]["message"] == "MPIJob ml/pi successfully completed."


def test_one_failed_launcher_pod_does_not_fail_the_job() -> None:
    cluster = started()
    cluster.put(job_with(cluster.launcher, failed=1))
    cluster.launcher_pods = [pod("pi-launcher-x", "Failed"), pod("pi-launcher-y")]
    cluster.step()
    assert cluster.conditions[-1] == ("Running", "True")
    assert cluster.status["replicaStatuses"]["Launcher"] == {"active": 1, "failed": 1}
    assert [one["pod"] for one in cluster.status["failures"]] == ["pi-launcher-x"]


def test_launcher_out_of_retries_fails_the_job_in_the_words_of_its_last_pod() -> None:
    cluster = started()
    cluster.put(
        job_with(cluster.launcher, ended="Failed", reason="BackoffLimitExceeded", message="Job has reached", failed=2)
    )
    cluster.launcher_pods = [
        pod("pi-launcher-b", "Failed", reason="OOMKilled", message="late", created="2027-01-15T08:00:02Z"),
        pod("pi-launcher-c", "Failed", reason="Error", message="early", created="2027-01-15T08:00:01Z"),
    ]
    plan = cluster.step()
    last = cluster.status["conditions"][-1]
    assert (last["type"], last["reason"]) == ("Failed", "BackoffLimitExceeded/OOMKilled")
    assert last["message"] == "Job has reached: late"
    assert cluster.status["completionTime"] == STAMP
    assert heard(plan)[-1] == ("BackoffLimitExceeded/OOMKilled", "Job has reached: late")
    assert [reason for reason, _ in heard(plan)[:-1]] == ["PodFailed", "PodFailed"]


def test_end_that_came_before_anybody_saw_it_run_says_so() -> None:
    cluster = Cluster(mpi_v2_job())
    cluster.step()
    cluster.pods = workers(2)
    cluster.launcher_pods = [pod("pi-launcher-x")]
    cluster.put(job_with(cluster.launcher, ended="Complete"))
    cluster.step()
    assert cluster.conditions == [("Created", "True"), ("Running", "False"), ("Succeeded", "True")]
    cluster.step()
    assert ("Running", "True") not in cluster.conditions


def test_evicted_worker_fails_the_job_for_good() -> None:
    cluster = started(runPolicy={"cleanPodPolicy": "Running"})
    cluster.pods = [pod("pi-worker-0"), pod("pi-worker-1", "Failed", reason="Evicted")]
    plan = cluster.step()
    assert ("MPIJobEvicted", "1/2 workers are evicted") in heard(plan)
    assert cluster.conditions[-1] == ("Failed", "True")
    assert cluster.status["completionTime"] == STAMP
    plan = cluster.step()
    assert removed(plan) == ["pi-worker-0"]
    assert cluster.launcher["spec"]["suspend"] is True
    cluster.put(job_with(cluster.launcher, ended="Complete"))
    cluster.pods = ()
    cluster.step()
    assert cluster.conditions[-1] == ("Failed", "True")


def test_failed_worker_is_counted_and_left() -> None:
    cluster = started()
    cluster.pods = [pod("pi-worker-0"), pod("pi-worker-1", "Failed")]
    plan = cluster.step()
    assert cluster.status["replicaStatuses"]["Worker"] == {"active": 1, "failed": 1}
    assert made(plan, "Pod") == []
    assert removed(plan) == []


def test_missing_worker_is_made_again_and_surplus_ones_go() -> None:
    cluster = started()
    cluster.pods = [pod("pi-worker-1"), pod("pi-worker-2")]
    plan = cluster.step()
    assert [one["metadata"]["name"] for one in made(plan, "Pod")] == ["pi-worker-0"]
    assert removed(plan) == ["pi-worker-2"]


def test_launcher_that_waits_for_workers_comes_when_all_are_ready() -> None:
    cluster = Cluster(mpi_v2_job(launcherCreationPolicy=WAIT))
    assert made(cluster.step(), "Job") == []
    cluster.pods = [*workers(1, ready=True), pod("pi-worker-1")]
    assert made(cluster.step(), "Job") == []
    cluster.pods = workers(2, ready=True)
    assert len(made(cluster.step(), "Job")) == 1


def test_deadline_counts_while_there_is_no_launcher_to_count_it() -> None:
    cluster = Cluster(mpi_v2_job(launcherCreationPolicy=WAIT, runPolicy={"activeDeadlineSeconds": 60}))
    plan = cluster.step()
    assert plan.look_again_after == 60
    cluster.pods = workers(2, "Pending")
    cluster.step(NOW + 61)
    assert cluster.conditions[-1] == ("Failed", "True")
    assert cluster.status["conditions"][-1]["reason"] == "DeadlineExceeded"


def test_job_created_suspended_has_no_workers_and_a_suspended_launcher() -> None:
    cluster = Cluster(mpi_v2_job(runPolicy={"suspend": True}))
    plan = cluster.step()
    assert made(plan, "Pod") == []
    assert cluster.launcher["spec"]["suspend"] is True
    assert cluster.conditions == [("Created", "True"), ("Suspended", "True")]
    assert "startTime" not in cluster.status
    assert ("MPIJobSuspended", "MPIJob suspended") in heard(plan)
    cluster.step()
    assert cluster.status["replicaStatuses"] == {"Launcher": {}, "Worker": {}}
    assert not cluster.decide()


def test_launcher_that_waits_for_workers_is_not_made_for_a_suspended_job() -> None:
    cluster = Cluster(mpi_v2_job(launcherCreationPolicy=WAIT, runPolicy={"suspend": True}))
    assert made(cluster.step(), "Job") == []


def test_suspending_takes_the_workers_and_stops_the_launcher() -> None:
    cluster = started()
    cluster.change(runPolicy={"suspend": True})
    plan = cluster.step(NOW + 5)
    assert removed(plan) == ["pi-worker-0", "pi-worker-1"]
    assert cluster.launcher["spec"]["suspend"] is True
    assert cluster.conditions == [("Created", "True"), ("Running", "False"), ("Suspended", "True")]
    assert cluster.status["startTime"] == STAMP
    assert {one["kind"] for one in cluster.companions} == {"Service", "ConfigMap", "Job"}


def test_resumed_job_starts_anew_and_its_launcher_goes_where_the_job_now_says() -> None:
    cluster = Cluster(mpi_v2_job(runPolicy={"suspend": True}))
    cluster.step()
    stored = cluster.launcher["spec"]["template"]["metadata"]["labels"]
    stored["batch.kubernetes.io/job-name"] = "pi-launcher"
    launcher = {**cluster.job["spec"]["mpiReplicaSpecs"]["Launcher"]}
    spec = {
        **launcher["template"]["spec"],
        "nodeSelector": {"zone": "a"},
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "schedulingGates": [{"name": "example.com/gate"}],
    }
    launcher["template"] = {"metadata": {"labels": {"team": "x"}, "annotations": {"note": "y"}}, "spec": spec}
    roles = {**cluster.job["spec"]["mpiReplicaSpecs"], "Launcher": launcher}
    cluster.change(mpiReplicaSpecs=roles, runPolicy={"suspend": False})
    plan = cluster.step(NOW + 5)
    template = cluster.launcher["spec"]["template"]
    assert cluster.launcher["spec"]["suspend"] is False
    for field in ("nodeSelector", "tolerations", "schedulingGates"):
        assert template["spec"][field] == spec[field]
    assert template["metadata"]["labels"]["team"] == "x"
    assert template["metadata"]["labels"]["batch.kubernetes.io/job-name"] == "pi-launcher"
    assert template["metadata"]["annotations"] == {"note": "y"}
    assert len(made(plan, "Pod")) == 2
    assert cluster.conditions == [("Created", "True"), ("Suspended", "False")]
    assert cluster.status["startTime"] == "2027-01-15T08:00:05Z"
    cluster.pods, cluster.launcher_pods = workers(2), [pod("pi-launcher-x")]
    cluster.step(NOW + 6)
    assert cluster.conditions == [("Created", "True"), ("Suspended", "False"), ("Running", "True")]


def test_launcher_that_ran_before_loses_its_start_time_before_its_template_changes() -> None:
    """A server refuses to change the template of a Job that has a start time, suspended or not."""
    cluster = started()
    cluster.change(runPolicy={"suspend": True})
    cluster.step()
    cluster.pods, cluster.launcher_pods = (), ()
    cluster.put({**cluster.launcher, "status": {"startTime": STAMP}})
    roles = cluster.job["spec"]["mpiReplicaSpecs"]
    launcher = {**roles["Launcher"]["template"]["spec"], "nodeSelector": {"zone": "b"}}
    roles["Launcher"]["template"]["spec"] = launcher
    cluster.change(runPolicy={})
    plan = cluster.step()
    (patch,) = [one for one in plan if isinstance(one, Patch)]
    assert (patch.subresource, patch.body["status"]) == ("status", {"startTime": None})
    assert patch.body["metadata"]["resourceVersion"] == "9"
    cluster.put({**cluster.launcher, "status": {}})
    (update,) = [one for one in cluster.step() if isinstance(one, Update) and one.resource.kind == "Job"]
    assert update.object["spec"]["template"]["spec"]["nodeSelector"] == {"zone": "b"}
    assert update.object["spec"]["suspend"] is False


@pytest.mark.parametrize(
    ("policy", "want"),
    [("None", []), ("Running", ["pi-worker-0"]), ("All", ["pi-launcher-x", "pi-worker-0", "pi-worker-1"])],
)
def test_clean_up_after_the_end(policy: str, want: list[str]) -> None:
    cluster = ended(spec={"runPolicy": {"cleanPodPolicy": policy}})
    cluster.pods = [pod("pi-worker-0"), pod("pi-worker-1", "Succeeded")]
    plan = cluster.step()
    assert removed(plan) == want
    assert removed(plan, "Job") == removed(plan, "Service") == []


def test_job_goes_when_its_time_after_the_end_has_passed() -> None:
    cluster = ended(spec={"runPolicy": {"ttlSecondsAfterFinished": 30}})
    (wait,) = [one for one in cluster.decide(NOW + 10) if isinstance(one, LookAgainAfter)]
    assert wait.seconds == 20
    (gone,) = [one for one in cluster.decide(NOW + 31) if isinstance(one, Delete)]
    assert (gone.resource.kind, gone.uid) == ("MPIJob", "uid-pi")


def test_job_without_workers_runs_its_launcher_alone() -> None:
    cluster = Cluster(mpi_v2_job(None, launcherCreationPolicy=WAIT))
    assert len(made(cluster.step(), "Job")) == 1
    cluster.launcher_pods = [pod("pi-launcher-x")]
    cluster.step()
    assert cluster.conditions[-1] == ("Running", "True")


@pytest.mark.parametrize("manager", ["kueue.x-k8s.io/multikueue", "example.com/other"])
def test_job_of_another_controller_is_left_alone(manager: str) -> None:
    assert not Cluster(mpi_v2_job(runPolicy={"managedBy": manager})).decide()


def test_job_of_ours_by_name_is_looked_after() -> None:
    assert Cluster(mpi_v2_job(runPolicy={"managedBy": "kubeflow.org/mpi-operator"})).decide()


def test_job_that_is_being_deleted_gets_nothing_more() -> None:
    job = mpi_v2_job()
    job["metadata"]["deletionTimestamp"] = STAMP
    assert not Cluster(job).decide()


def test_invalid_job_is_told_once_and_runs_when_it_is_put_right() -> None:
    cluster = Cluster(mpi_v2_job(slotsPerWorker=-1))
    plan = cluster.step()
    text = "Found validation errors: spec.slotsPerWorker: Invalid value: -1: must be greater than or equal to 0"
    assert heard(plan) == [("ValidationError", text)]
    assert [type(one) for one in plan] == [SetStatus]
    assert cluster.conditions == [("Invalid", "True")]
    assert cluster.companions == []
    assert not cluster.decide()
    assert plan.look_again_after is None
    cluster.change(slotsPerWorker=1)
    cluster.step()
    assert cluster.conditions == [("Created", "True")]
    assert cluster.launcher


def test_finished_job_is_cleared_even_if_its_spec_was_spoiled_since() -> None:
    cluster = ended(spec={"runPolicy": {"cleanPodPolicy": "All"}})
    cluster.change(slotsPerWorker=-1)
    assert removed(cluster.step()) == ["pi-launcher-x", "pi-worker-0", "pi-worker-1"]


def test_long_complaints_are_cut_to_what_an_event_holds() -> None:
    job: Object = mpi_v2_job()
    job["spec"]["mpiReplicaSpecs"] |= {f"Role{index}": {} for index in range(50)}
    (event,) = heard(Cluster(job).decide())
    assert len(event[1]) == 1024
    assert event[1].endswith("...")


def test_job_that_reaches_its_target_succeeds_and_stops() -> None:
    policy = {"progress": {"stopWhen": {"metric": "accuracy", "reaches": 0.9}}}
    cluster = started(runPolicy=policy)
    cluster.report = Report(step=7, metrics={"accuracy": 0.95}, since=NOW)
    cluster.step()
    assert cluster.conditions[-1] == ("Succeeded", "True")
    plan = cluster.step()
    assert removed(plan) == ["pi-worker-0", "pi-worker-1"]
    assert cluster.launcher["spec"]["suspend"] is True
