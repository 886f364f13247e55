"""A training that may have been done is not done again: the launcher Job may vanish while nobody looks."""

from corral.reconcile.plan import LookAgainAfter
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


def test_launcher_is_remembered_as_soon_as_it_is_seen() -> None:
    cluster = Cluster(mpi_v2_job())
    cluster.step()
    assert "launcher" not in cluster.status
    cluster.step()
    assert cluster.status["launcher"] == {"uid": "uid-Job-pi-launcher"}


def test_launcher_that_went_without_a_word_is_not_made_again_and_ends_the_job() -> None:
    cluster = started(runPolicy={"ttlSecondsAfterFinished": 100})
    cluster.lose_launcher()
    cluster.pods = workers(1)
    plan = cluster.step()
    assert made(plan, "Job") == made(plan, "Pod") == []
    assert plan.look_again_after == 30
    assert cluster.status["launcher"] == {"uid": "uid-Job-pi-launcher", "missingSince": STAMP}
    assert not [one for one in cluster.decide(NOW + 10) if not isinstance(one, LookAgainAfter)]
    plan = cluster.step(NOW + 30)
    last = cluster.status["conditions"][-1]
    assert (last["type"], last["status"], last["reason"]) == ("Failed", "True", "LauncherDeleted")
    assert "pi-launcher was deleted before its end was read" in last["message"]
    assert "submit the MPIJob anew" in last["message"]
    assert cluster.status["completionTime"] == "2027-01-15T08:00:30Z"
    (failure,) = cluster.status["failures"]
    assert (failure["class"], failure["role"], failure["reason"]) == ("unknown", "Launcher", "LauncherDeleted")
    assert ("LauncherDeleted", last["message"]) in heard(plan)
    assert made(cluster.step(NOW + 60), "Job") == []


def test_launcher_that_was_only_out_of_sight_changes_nothing() -> None:
    cluster = started()
    held, pods = cluster.companions, cluster.launcher_pods
    cluster.lose_launcher()
    cluster.step()
    cluster.companions, cluster.launcher_pods = held, pods
    cluster.step(NOW + 40)
    assert cluster.conditions == [("Created", "True"), ("Running", "True")]
    assert cluster.status["launcher"] == {"uid": "uid-Job-pi-launcher"}
    assert not cluster.decide(NOW + 80)


def test_pod_that_the_launcher_left_behind_tells_of_success() -> None:
    cluster = started()
    cluster.lose_launcher()
    cluster.launcher_pods = [pod("pi-launcher-x", "Succeeded", deleting=True)]
    cluster.step()
    assert cluster.conditions[-1] == ("Succeeded", "True")
    assert cluster.status["replicaStatuses"] == {"Launcher": {"succeeded": 1}, "Worker": {}}


def test_pod_that_still_runs_without_its_launcher_is_waited_for() -> None:
    cluster = started()
    cluster.lose_launcher()
    cluster.launcher_pods = [pod("pi-launcher-x")]
    cluster.step()
    cluster.step(NOW + 3600)
    assert cluster.conditions[-1] == ("Running", "True")
    cluster.launcher_pods = [pod("pi-launcher-x", "Failed")]
    cluster.step(NOW + 3601)
    assert cluster.conditions[-1] == ("Failed", "True")
    assert [one["reason"] for one in cluster.status["failures"]] == ["NoEvidence", "LauncherDeleted"]


def test_status_of_another_operator_that_says_running_counts_as_launched() -> None:
    running = {"type": "Running", "status": "True", "reason": "MPIJobRunning"}
    cluster = Cluster(mpi_v2_job(status={"conditions": [running], "startTime": STAMP}))
    cluster.pods = workers(2)
    assert made(cluster.step(), "Job") == []
    cluster.step(NOW + 30)
    assert cluster.conditions[-1] == ("Failed", "True")


def test_suspension_ends_a_run_and_the_next_one_is_launched_again() -> None:
    cluster = started()
    cluster.change(runPolicy={"suspend": True})
    cluster.step()
    assert "launcher" in cluster.status
    cluster.pods = cluster.launcher_pods = ()
    cluster.step()
    assert "launcher" not in cluster.status
    cluster.lose_launcher()
    assert len(made(cluster.step(), "Job")) == 1
    cluster.change(runPolicy={})
    cluster.step()
    assert cluster.launcher["spec"]["suspend"] is False
    assert cluster.status["launcher"] == {"uid": "uid-Job-pi-launcher"}


def test_launcher_that_vanished_before_its_job_was_suspended_is_not_launched_by_resuming() -> None:
    cluster = started()
    cluster.lose_launcher()
    cluster.change(runPolicy={"suspend": True})
    plan = cluster.step()
    assert made(plan, "Job") == []
    assert removed(plan) == ["pi-worker-0", "pi-worker-1"]
    assert plan.look_again_after == 30
    cluster.change(runPolicy={})
    cluster.step(NOW + 30)
    assert cluster.conditions[-1] == ("Failed", "True")


def test_launcher_that_ended_is_believed_whatever_was_remembered() -> None:
    cluster = started()
    cluster.put(job_with(cluster.launcher, ended="Complete"))
    cluster.step()
    cluster.lose_launcher()
    assert made(cluster.step(NOW + 100), "Job") == []
    assert cluster.conditions[-1] == ("Succeeded", "True")
