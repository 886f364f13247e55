"""The three pictures with which schedulers for deep learning are introduced, on both servers, from pods to binds and back."""

from typing import Any

from corral.kinds.objects import Object
from corral.kinds.scheduling.names import CHOSEN_DEVICES, GANG, GANG_SIZE, GPU_DEVICES, STRATEGY
from corral.kinds.well_known import POD
from tests.scheduling.cluster import Cluster

pytest_plugins = ["corral.testing.api_servers"]


def gang(cluster: Cluster, name: str, size: int, strategy: str) -> list[str]:
    """Creates the pods of a gang with one GPU each, which are to be bundled or spread."""
    names = [f"{name}-{index}" for index in range(size)]
    marks = {"labels": {GANG: name}, "annotations": {GANG_SIZE: str(size), STRATEGY: strategy}}
    for one in names:
        cluster.pod(one, metadata=marks)
    return names


def condition(cluster: Cluster, name: str) -> str:
    """Returns what a pod that waits says about its place."""
    told = cluster.wait(lambda: cluster.condition(name), lambda one: one.get("reason") == "Unschedulable")
    return str(told["message"])


def event(cluster: Cluster, name: str) -> str:
    """Returns the plain words that people hear about a pod after it has waited for a while."""

    def heard() -> list[str]:
        return [one["message"] for one in cluster.events("Waits") if one["involvedObject"]["name"] == name]

    return cluster.wait(heard)[0]


def test_job_1_of_three_pods_gets_no_gpu_while_job_2_runs(cluster: Cluster) -> None:
    for name in ("node-1", "node-2"):
        cluster.node(name, 2)
    with cluster.scheduler("--no-leader-elect"):
        job_2 = cluster.gang("job-2", 2)
        cluster.wait(lambda: cluster.bound_of(job_2), lambda bound: bound == 2)
        job_1 = cluster.gang("job-1", 3)
        for name in job_1:
            assert "needs 3 pods at once and 2 fit" in condition(cluster, name)
        assert cluster.bound_of(job_1) == 0
        assert all(CHOSEN_DEVICES not in cluster.get(POD, name)["metadata"].get("annotations", {}) for name in job_1)
        for name in job_2:
            cluster.delete(name)
        cluster.wait(lambda: cluster.bound_of(job_1), lambda bound: bound == 3)
        assert cluster.doubles() == []


def test_ten_free_gpus_on_four_nodes_do_not_fit_a_pod_of_four_and_bundled_they_do(cluster: Cluster) -> None:
    for index in range(4):
        cluster.node(f"node-{index}", 4)
    with cluster.scheduler("--no-leader-elect"):
        spread = gang(cluster, "spread", 6, "spread")
        cluster.wait(lambda: cluster.bound_of(spread), lambda bound: bound == 6)
        places = [cluster.places()[name] for name in spread]
        assert sorted(map(places.count, set(places))) == [1, 1, 2, 2]
        cluster.pod("job", 4)
        assert condition(cluster, "job") == "0/4 nodes are available: 4 Insufficient nvidia.com/gpu."
        assert "needs 4 GPUs on one node; 10 GPUs are free on 4 nodes, at most 3 on one" in event(cluster, "job")
        for name in spread:
            cluster.delete(name)
        cluster.wait(lambda: "job" in cluster.places())
        cluster.delete("job")

        bundled = gang(cluster, "bundled", 6, "bundle")
        cluster.wait(lambda: cluster.bound_of(bundled), lambda bound: bound == 6)
        cluster.pod("again", 4)
        cluster.pod("and-again", 4)
        cluster.wait(cluster.places, lambda places: {"again", "and-again"} <= places.keys())
        assert cluster.doubles() == []


def test_job_2_must_run_on_gpu_0_of_node_1(cluster: Cluster) -> None:
    for index in (1, 2):
        cluster.node(f"node-{index}", 2, labels={"number": str(index)})
    on_node_1: Any = {"nodeSelector": {"test": cluster.token, "number": "1"}}
    with cluster.scheduler("--no-leader-elect"):
        cluster.pod("job-1", metadata=pinned(), **on_node_1)
        cluster.wait(lambda: "job-1" in cluster.places())
        cluster.pod("job-2", metadata=pinned(), **on_node_1)
        assert condition(cluster, "job-2").startswith("0/2 nodes are available: ")
        assert "needs GPU 0 of a node, which job-1 on node-1" in event(cluster, "job-2")
        cluster.pod("other", **on_node_1)
        cluster.wait(lambda: "other" in cluster.places())
        assert {name: devices(cluster, name) for name in ("job-1", "other")} == {"job-1": "0", "other": "1"}
        cluster.delete("job-1")
        cluster.wait(lambda: "job-2" in cluster.places())
        assert devices(cluster, "job-2") == "0"
        assert cluster.places()["job-2"].startswith("node-1")


def pinned() -> Object:
    return {"annotations": {GPU_DEVICES: "0"}}


def devices(cluster: Cluster, name: str) -> str:
    return str(cluster.get(POD, name)["metadata"]["annotations"][CHOSEN_DEVICES])
