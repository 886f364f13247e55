"""Policies of Jobs on both control planes: which failures count, which index may fail, and when part is enough."""

from typing import Any

from corral.kinds.objects import Object
from corral.kinds.well_known import JOB, POD
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.pretend_kubelet import end, set_status
from tests.embedded.controllers.workloads import job_of

pytest_plugins = ["corral.testing.api_servers"]

INDEX = "batch.kubernetes.io/job-completion-index"


def conditions(job: Object) -> list[tuple[str, str]]:
    return [(one["type"], one["reason"]) for one in job["status"].get("conditions") or ()]


def waiting_pods(cluster: Cluster, count: int) -> dict[str, Object]:
    """Returns the pods that have not ended, by index or name, once there are so many."""
    pods = cluster.wait(
        lambda: [pod for pod in cluster.pods(job_name="work") if pod["status"]["phase"] == "Pending"],
        lambda pods: len(pods) == count,
    )
    return {(pod["metadata"].get("annotations") or {}).get(INDEX, pod["metadata"]["name"]): pod for pod in pods}


def fail(cluster: Cluster, pod: Object, code: int = 1, *extra: Object) -> None:
    """Fails a pod as if long ago, so that no back-off holds up its successor."""
    state = {"terminated": {"exitCode": code, "finishedAt": "2020-01-01T00:00:00Z"}}
    container: dict[str, Any] = {"name": "main", "image": "any", "imageID": "", "ready": False, "restartCount": 0}
    status = {"phase": "Failed", "conditions": list(extra), "containerStatuses": [{**container, "state": state}]}
    set_status(cluster.client, pod, status)


def over(cluster: Cluster, kind: str) -> Object:
    return cluster.wait(lambda: cluster.get(JOB, "work"), lambda job: kind in [entry[0] for entry in conditions(job)])


def test_an_exit_code_may_fail_the_job_at_once(cluster: Cluster) -> None:
    rule = {"action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "In", "values": [42]}}
    cluster.make(JOB, "work", spec=job_of(backoffLimit=6, podFailurePolicy={"rules": [rule]}))
    [first] = waiting_pods(cluster, 1).values()
    fail(cluster, first, 1)
    cluster.wait_status(JOB, "work", failed=1)
    [second] = waiting_pods(cluster, 1).values()
    fail(cluster, second, 42)
    job = over(cluster, "Failed")
    assert conditions(job) == [("FailureTarget", "PodFailurePolicy"), ("Failed", "PodFailurePolicy")]
    name = f"{cluster.namespace}/{second['metadata']['name']}"
    want = f"Container main for pod {name} failed with exit code 42 matching FailJob rule at index 0"
    assert job["status"]["conditions"][-1]["message"] == want


def test_a_disruption_does_not_count(cluster: Cluster) -> None:
    rule = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    cluster.make(JOB, "work", spec=job_of(backoffLimit=0, podFailurePolicy={"rules": [rule]}))
    [first] = waiting_pods(cluster, 1).values()
    fail(cluster, first, 137, {"type": "DisruptionTarget", "status": "True"})
    [second] = waiting_pods(cluster, 1).values()
    end(cluster.client, second, "Succeeded")
    job = over(cluster, "Complete")
    assert job["status"].get("failed", 0) == 0
    assert len(cluster.all(POD)) == 2


def test_an_index_may_fail_and_the_others_go_on(cluster: Cluster) -> None:
    spec = job_of(completions=3, parallelism=3, completionMode="Indexed", backoffLimitPerIndex=1)
    cluster.make(JOB, "work", spec=spec)
    pods = waiting_pods(cluster, 3)
    assert pods["1"]["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"] == "0"
    fail(cluster, pods["1"])
    cluster.wait_status(JOB, "work", failed=1, active=3)
    again = waiting_pods(cluster, 3)["1"]
    assert again["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"] == "1"
    fail(cluster, again)
    cluster.wait_status(JOB, "work", failed=2, active=2, failedIndexes="1")
    for index in ("0", "2"):
        end(cluster.client, pods[index], "Succeeded")
    job = over(cluster, "Failed")
    assert conditions(job) == [("FailureTarget", "FailedIndexes"), ("Failed", "FailedIndexes")]
    assert (job["status"]["completedIndexes"], job["status"]["failedIndexes"]) == ("0,2", "1")


def test_too_many_failed_indexes_fail_the_job(cluster: Cluster) -> None:
    limits = {"backoffLimitPerIndex": 0, "maxFailedIndexes": 0}
    cluster.make(JOB, "work", spec=job_of(completions=4, parallelism=2, completionMode="Indexed", **limits))
    fail(cluster, waiting_pods(cluster, 2)["0"])
    job = over(cluster, "Failed")
    assert conditions(job)[-1] == ("Failed", "MaxFailedIndexesExceeded")
    assert job["status"]["failed"] == 2


def test_part_of_the_indexes_may_be_enough(cluster: Cluster) -> None:
    policy = {"rules": [{"succeededIndexes": "0,2", "succeededCount": 1}]}
    cluster.make(JOB, "work", spec=job_of(completions=4, parallelism=4, completionMode="Indexed", successPolicy=policy))
    pods = waiting_pods(cluster, 4)
    end(cluster.client, pods["1"], "Succeeded")
    cluster.wait_status(JOB, "work", succeeded=1)
    end(cluster.client, pods["2"], "Succeeded")
    job = over(cluster, "Complete")
    assert conditions(job) == [("SuccessCriteriaMet", "SuccessPolicy"), ("Complete", "SuccessPolicy")]
    assert job["status"]["completedIndexes"] == "1,2"
    assert job["status"].get("failed", 0) == 0
    assert job["status"]["conditions"][-1]["message"] == "Matched rules at index 0"
    assert {pod["status"]["phase"] for pod in cluster.all(POD)} == {"Succeeded"}
