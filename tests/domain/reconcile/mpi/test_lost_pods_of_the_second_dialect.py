"""Pods of an MPIJob v2beta1 that failed or are on lost nodes: told, written down, and let go."""

from typing import Any

import pytest

from corral.reconcile.plan import Delete, Patch, SetStatus
from corral.reconcile.training.world import Settings
from tests.domain.reconcile.mpi.builders import NOW, Cluster, heard, mpi_v2_job, pod, removed, started, workers

GRACE = Settings().node_grace
LONG_AGO = GRACE + 60


def on_dead_node(seconds: float = LONG_AGO, **launcher: Any) -> Cluster:
    """Returns a running job whose launcher is on a node that was lost so long ago."""
    cluster = started()
    cluster.launcher_pods = [pod("pi-launcher-x", node="dead", **launcher)]
    cluster.lost_nodes = {"dead": NOW - seconds}
    return cluster


@pytest.mark.parametrize("deleting", [False, True])
def test_lost_launcher_pod_is_failed_and_removed_after_the_status_tells_of_it(deleting: bool) -> None:
    plan = on_dead_node(deleting=deleting).decide()
    told, failed, gone = plan.stages
    (status,) = [one for one in told if isinstance(one, SetStatus)]
    assert [(one["pod"], one["class"]) for one in status.status["failures"]] == [("pi-launcher-x", "node")]
    assert status.status["replicaStatuses"] == {"Launcher": {}, "Worker": {"active": 2}}
    (patch,) = [one for one in failed if isinstance(one, Patch)]
    assert (patch.key.name, patch.subresource, patch.body["status"]["phase"]) == ("pi-launcher-x", "status", "Failed")
    (delete,) = [one for one in gone if isinstance(one, Delete)]
    assert (delete.key.name, delete.grace_seconds) == ("pi-launcher-x", 0)


def test_lost_launcher_pod_is_looked_for_when_its_time_comes() -> None:
    assert on_dead_node(seconds=GRACE - 10).decide().look_again_after == 10


def test_failure_of_a_lost_launcher_is_told_once() -> None:
    cluster = on_dead_node()
    assert [reason for reason, _ in heard(cluster.step())] == ["PodFailed"]
    cluster.launcher_pods = [pod("pi-launcher-x", "Failed", node="dead", deleting=True)]
    plan = cluster.step()
    assert heard(plan) == []
    assert removed(plan) == ["pi-launcher-x"]
    assert not [one for one in plan if isinstance(one, Patch)]
    assert len(cluster.status["failures"]) == 1


def test_lost_worker_is_told_before_it_is_removed() -> None:
    cluster = started()
    cluster.pods = [pod("pi-worker-0"), pod("pi-worker-1", node="dead")]
    cluster.lost_nodes = {"dead": NOW - LONG_AGO}
    plan = cluster.decide()
    told, gone = plan.stages
    (status,) = [one for one in told if isinstance(one, SetStatus)]
    assert [(one["pod"], one["reason"]) for one in status.status["failures"]] == [("pi-worker-1", "NodeLost")]
    assert status.status["replicaStatuses"]["Worker"] == {"active": 1}
    assert [one.reason for one in status.told] == ["PodFailed"]
    assert [(one.key.name, one.grace_seconds) for one in gone if isinstance(one, Delete)] == [("pi-worker-1", 0)]
    assert "restarts" not in status.status


def test_failed_worker_is_told_with_its_class() -> None:
    cluster = started()
    cluster.pods = [pod("pi-worker-0"), pod("pi-worker-1", "Failed", reason="OutOfcpu", message="no room")]
    ((reason, message),) = heard(cluster.step())
    assert reason == "PodFailed"
    assert message.startswith("Pod pi-worker-1 failed (OutOfcpu): no room.")
    assert heard(cluster.step()) == []
    assert [one["class"] for one in cluster.status["failures"]] == ["infra"]


def test_pods_of_a_suspended_job_on_a_lost_node_are_removed_by_force() -> None:
    cluster = on_dead_node(deleting=True)
    cluster.pods = workers(2, node="dead", deleting=True)
    cluster.change(runPolicy={"suspend": True})
    plan = cluster.decide()
    assert removed(plan) == ["pi-launcher-x", "pi-worker-0", "pi-worker-1"]
    assert {one.grace_seconds for one in plan if isinstance(one, Delete)} == {0}
    cluster.lost_nodes = {"dead": NOW - GRACE + 10}
    assert cluster.decide().look_again_after == 10


def test_what_this_dialect_does_not_heed_is_told_once() -> None:
    job = mpi_v2_job(runPolicy={"progress": {"hang": {"afterSeconds": 60}}})
    job["metadata"]["annotations"] = {"corral.dev/restart-scope": "gang"}
    cluster = Cluster(job)
    (message,) = [text for reason, text in heard(cluster.step()) if reason == "MPIJobNotHeeded"]
    assert message.endswith("corral.dev/restart-scope: gang, runPolicy.progress.hang")
    assert not [reason for reason, _ in heard(cluster.step()) if reason == "MPIJobNotHeeded"]
    assert not [reason for reason, _ in heard(Cluster(mpi_v2_job()).step()) if reason == "MPIJobNotHeeded"]
