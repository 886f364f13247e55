"""Jobs on both control planes: the same pods, the same counts, the same words."""

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import EVENT, JOB, POD
from corral.ports.object_store import DeleteOptions
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.pretend_kubelet import end, run
from tests.embedded.controllers.workloads import job_of

pytest_plugins = ["corral.testing.api_servers"]

TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"


def conditions(job: Object) -> list[tuple[str, str, str]]:
    return [(one["type"], one["status"], one["reason"]) for one in job["status"].get("conditions") or ()]


def waiting_pods(cluster: Cluster, count: int) -> list[Object]:
    """Returns the pods that have not ended, once there are so many."""
    return cluster.wait(
        lambda: [pod for pod in cluster.pods(job_name="work") if pod["status"]["phase"] in ("Pending", "Running")],
        lambda pods: len(pods) == count,
    )


def finished(cluster: Cluster, kind: str) -> Object:
    job = cluster.wait(
        lambda: cluster.get(JOB, "work"), lambda job: (kind, "True") in [entry[:2] for entry in conditions(job)]
    )
    cluster.wait(
        lambda: cluster.all(POD), lambda pods: all(TRACKING not in p["metadata"].get("finalizers", ()) for p in pods)
    )
    return job


def test_a_job_is_complete_when_enough_pods_succeeded(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(completions=3, parallelism=2))
    first = waiting_pods(cluster, 2)
    started = cluster.wait_status(JOB, "work", active=2)
    assert started["status"]["startTime"]
    assert {"ready", "terminating", "uncountedTerminatedPods"} <= started["status"].keys()
    assert all(pod["metadata"]["finalizers"] == [TRACKING] for pod in first)
    run(cluster.client, first[0])
    cluster.wait_status(JOB, "work", active=2, ready=1)
    for pod in first:
        end(cluster.client, pod, "Succeeded")
    [last] = waiting_pods(cluster, 1)
    cluster.wait_status(JOB, "work", active=1, succeeded=2)
    end(cluster.client, last, "Succeeded")
    job = finished(cluster, "Complete")
    assert conditions(job) == [
        ("SuccessCriteriaMet", "True", "CompletionsReached"),
        ("Complete", "True", "CompletionsReached"),
    ]
    assert job["status"]["succeeded"] == 3
    assert job["status"]["completionTime"]
    assert job["status"]["uncountedTerminatedPods"] == {}
    assert (job["status"]["ready"], job["status"]["terminating"], job["status"].get("active")) == (0, 0, None)
    cluster.wait(lambda: {one["reason"] for one in cluster.all(EVENT)}, lambda seen: "Completed" in seen)


def test_indexed_pods_know_their_number(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(completions=4, parallelism=4, completionMode="Indexed"))
    pods = {pod["metadata"]["annotations"][INDEX]: pod for pod in waiting_pods(cluster, 4)}
    assert sorted(pods) == ["0", "1", "2", "3"]
    pod = pods["2"]
    assert pod["metadata"]["labels"][INDEX] == "2"
    assert pod["metadata"]["generateName"] == "work-2-"
    assert pod["spec"]["hostname"] == "work-2"
    assert pod["spec"]["containers"][0]["env"] == [
        {
            "name": "JOB_COMPLETION_INDEX",
            "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}},
        }
    ]
    seen: list[str] = []
    for index in ("3", "0", "1"):
        end(cluster.client, pods[index], "Succeeded")
        done = len(seen) + 1
        seen.append(cluster.wait_status(JOB, "work", succeeded=done)["status"]["completedIndexes"])
    assert seen == ["3", "0,3", "0,1,3"]
    end(cluster.client, pods["2"], "Succeeded")
    assert finished(cluster, "Complete")["status"]["completedIndexes"] == "0-3"


def test_a_job_fails_beyond_its_limit_and_counts_what_it_stops(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(completions=3, parallelism=2, backoffLimit=0))
    pods = waiting_pods(cluster, 2)
    end(cluster.client, pods[0], "Failed", 1)
    job = finished(cluster, "Failed")
    assert conditions(job) == [
        ("FailureTarget", "True", "BackoffLimitExceeded"),
        ("Failed", "True", "BackoffLimitExceeded"),
    ]
    assert job["status"]["failed"] == 2
    assert "completionTime" not in job["status"]
    said = cluster.wait(
        lambda: {one["reason"]: one["message"] for one in cluster.all(EVENT)},
        lambda seen: "BackoffLimitExceeded" in seen,
    )
    assert said["BackoffLimitExceeded"] == "Job has reached the specified backoff limit"


def test_a_failed_pod_is_replaced_only_after_a_while(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(backoffLimit=3))
    [pod] = waiting_pods(cluster, 1)
    end(cluster.client, pod, "Failed", 1)
    cluster.wait_status(JOB, "work", failed=1)
    cluster.stays(lambda: cluster.pods(job_name="work"), lambda pods: len(pods) == 1)


def test_a_deleted_pod_counts_as_failed_and_is_replaced(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of())
    [pod] = waiting_pods(cluster, 1)
    cluster.delete(POD, pod["metadata"]["name"])
    cluster.wait_status(JOB, "work", failed=1)
    cluster.wait_gone(POD, pod["metadata"]["name"])


def test_a_suspended_job_has_no_pods_and_goes_on_when_resumed(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(suspend=True))
    suspended = cluster.wait(lambda: cluster.get(JOB, "work"), lambda job: conditions(job))
    assert conditions(suspended) == [("Suspended", "True", "JobSuspended")]
    assert "startTime" not in suspended["status"]
    assert cluster.pods(job_name="work") == []
    cluster.change(JOB, "work", {"spec": {"suspend": False}})
    waiting_pods(cluster, 1)
    resumed = cluster.wait_status(JOB, "work", active=1)
    assert conditions(resumed) == [("Suspended", "False", "JobResumed")]
    cluster.change(JOB, "work", {"spec": {"suspend": True}})
    waiting_pods(cluster, 0)
    stopped = cluster.wait_status(JOB, "work", active=0, terminating=0)
    assert stopped["status"].get("failed", 0) == 0
    said = cluster.wait(
        lambda: {one["reason"] for one in cluster.all(EVENT)}, lambda seen: {"Suspended", "Resumed"} <= seen
    )
    assert said


def test_a_job_ends_at_its_deadline(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(activeDeadlineSeconds=1))
    job = finished(cluster, "Failed")
    assert conditions(job)[-1] == ("Failed", "True", "DeadlineExceeded")
    assert job["status"]["failed"] == 1


def test_an_ended_job_is_cleared_away_after_its_time(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(ttlSecondsAfterFinished=1))
    [pod] = waiting_pods(cluster, 1)
    end(cluster.client, pod, "Succeeded")
    cluster.wait_gone(JOB, "work")
    cluster.wait_gone(POD, pod["metadata"]["name"])


def test_workers_of_a_queue_are_not_replaced_once_one_has_succeeded(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(parallelism=3))
    pods = waiting_pods(cluster, 3)
    end(cluster.client, pods[0], "Succeeded")
    cluster.wait_status(JOB, "work", succeeded=1, active=2)
    for pod in pods[1:]:
        end(cluster.client, pod, "Succeeded")
    assert finished(cluster, "Complete")["status"]["succeeded"] == 3


def test_less_parallelism_removes_pods_without_counting_them(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(parallelism=3, completions=3))
    waiting_pods(cluster, 3)
    cluster.change(JOB, "work", {"spec": {"parallelism": 1}})
    waiting_pods(cluster, 1)
    job = cluster.wait_status(JOB, "work", active=1)
    assert job["status"].get("failed", 0) == 0


def test_with_replacement_of_failed_pods_only_a_going_pod_is_waited_for(cluster: Cluster) -> None:
    cluster.make(JOB, "work", spec=job_of(podReplacementPolicy="Failed"))
    [pod] = waiting_pods(cluster, 1)
    cluster.delete(POD, pod["metadata"]["name"])
    cluster.wait_status(JOB, "work", terminating=1, active=0)
    cluster.stays(lambda: cluster.get(JOB, "work"), lambda job: not job["status"].get("failed"))
    end(cluster.client, pod, "Failed", 1)
    cluster.wait_status(JOB, "work", failed=1, terminating=0)


@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
def test_pods_of_a_deleted_job_go_although_they_are_held(cluster: Cluster, propagation: str) -> None:
    cluster.make(JOB, "work", spec=job_of(parallelism=2))
    pods = waiting_pods(cluster, 2)
    cluster.delete(JOB, "work", DeleteOptions(propagation))  # type: ignore[arg-type]
    cluster.wait_gone(JOB, "work")
    for pod in pods:
        cluster.wait_gone(POD, pod["metadata"]["name"])


def test_a_job_that_somebody_else_manages_is_left_alone(cluster: Cluster) -> None:
    cluster.make(JOB, "theirs", spec=job_of(managedBy="example.com/other"))
    cluster.make(JOB, "work", spec=job_of())
    waiting_pods(cluster, 1)
    assert cluster.pods(job_name="theirs") == []
    assert not cluster.get(JOB, "theirs").get("status")
