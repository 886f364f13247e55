"""What nodes and pods use, as metrics.k8s.io and kubelets tell it, and how GPUs of nodes are given out."""

from typing import Any

import pytest

from corral.control.desk.cluster.nodes import NodeAddress, NodeCondition, NodeStatus, NodeView
from corral.control.desk.jobs.pods import JobContainer, JobPod, JobPodSpec, JobPodStatus, Resources
from corral.control.desk.top.node_lines import mode_of, node_lines
from corral.control.desk.top.usage import (
    NOTHING,
    UNMEASURED,
    Usage,
    Usages,
    has_rates,
    of_node_metrics,
    of_pod_metrics,
    of_summary,
)
from corral.engine.node.endpoint.figures import PodUsage, summary_of
from corral.engine.node.endpoint.figures import Usage as Used
from corral.kinds.objects import Metadata
from corral.kinds.references import ObjectKey
from corral.surfaces.cli.render.terminal import Surroundings
from corral.surfaces.cli.render.top_nodes import node_details, node_summary
from corral.surfaces.cli.render.usage import memory, processors

POD = {"metadata": {"name": "digits-worker-0", "namespace": "team", "uid": "u"}}


def test_two_looks_at_a_node_make_a_rate() -> None:
    first = summary_of("laptop", Used(100.0, 5), [PodUsage(POD, {"main": Used(10.0, 3)})], 1000.25)
    second = summary_of("laptop", Used(101.5, 7), [PodUsage(POD, {"main": Used(10.5, 4)})], 1001.25)
    assert not has_rates(first)
    assert of_summary(first).nodes == {"laptop": Usage(None, 5)}
    used = of_summary(second, first)
    assert used.nodes == {"laptop": Usage(1.5, 7)}
    assert used.pods == {ObjectKey("team", "digits-worker-0"): Usage(0.5, 4)}


def test_a_pod_that_was_not_there_before_has_no_rate_yet() -> None:
    first = summary_of("laptop", Used(1.0, 1), [], 1000.0)
    second = summary_of("laptop", Used(1.0, 1), [PodUsage(POD, {"main": Used(9.0, 4)})], 1001.0)
    assert of_summary(second, first).pods[ObjectKey("team", "digits-worker-0")] == Usage(None, 4)


def test_a_kubelet_that_tells_rates_is_believed() -> None:
    figures = {"cpu": {"time": "2027-01-15T08:00:00Z", "usageNanoCores": 250_000_000}, "memory": {"workingSetBytes": 9}}
    look = {"node": {"nodeName": "n", **figures}, "pods": [{"podRef": {"name": "p", "namespace": "x"}, **figures}]}
    assert has_rates(look)
    assert of_summary(look) == Usages({"n": Usage(0.25, 9)}, {ObjectKey("x", "p"): Usage(0.25, 9)})


def test_metrics_of_a_cluster_are_read() -> None:
    nodes = [{"metadata": {"name": "n"}, "usage": {"cpu": "1500m", "memory": "2Gi"}}]
    assert of_node_metrics(nodes) == {"n": Usage(1.5, 2**31)}
    containers = [{"usage": {"cpu": "250000000n", "memory": "1Ki"}}, {"usage": {"cpu": "1", "memory": "odd"}}]
    pods = [{"metadata": {"name": "p", "namespace": "x"}, "containers": containers}]
    assert of_pod_metrics(pods) == {ObjectKey("x", "p"): Usage(1.25, 1024)}
    assert Usages({}, of_pod_metrics(pods)).together([ObjectKey("x", "p"), ObjectKey("x", "q")]) == Usage(1.25, 1024)
    assert NOTHING.together([ObjectKey("x", "p")]) == UNMEASURED


def node(name: str, labels: dict[str, str] | None = None, **capacity: Any) -> NodeView:
    there = {
        "cpu": "8",
        "memory": "32Gi",
        **{key.replace("__", "/").replace("_", "."): value for key, value in capacity.items()},
    }
    return NodeView(
        metadata=Metadata(name=name, labels=labels or {}),
        status=NodeStatus(
            capacity=there,
            allocatable=there,
            conditions=[NodeCondition(type="Ready", status="True")],
            addresses=[NodeAddress(type="InternalIP", address="10.0.0.1")],
        ),
    )


def pod(name: str, on: str, **limits: Any) -> JobPod:
    wanted = {key.replace("__", "/").replace("_", "."): value for key, value in limits.items()}
    wanted = {key.replace("gpu.mem", "gpu-mem"): value for key, value in wanted.items()}
    return JobPod(
        metadata=Metadata(name=name, namespace="team"),
        spec=JobPodSpec(node_name=on, containers=[JobContainer(resources=Resources(limits=wanted))]),
        status=JobPodStatus(phase="Running"),
    )


PLAIN = node("plain", {"node-role.kubernetes.io/control-plane": ""})
GPUS = node("gpus", nvidia_com__gpu="4")
SHARED = node("shared", {"gpushare": "true"})
SHARED.status.capacity |= {
    "aliyun.com/gpu-mem": "64",
    "aliyun.com/gpu-count": "4",
    "aliyun.com/gpu-core.percentage": "400",
}


@pytest.mark.parametrize(
    ("one", "mode"),
    [
        (PLAIN, "none"),
        (GPUS, "exclusive"),
        (SHARED, "share"),
        (node("t", {"ack.node.gpu.schedule": "topology"}, aliyun_com__gpu=8), "topology"),
        (node("c", {"ack.node.gpu.schedule": "cgpu"}), "share"),
    ],
)
def test_how_gpus_are_given_out_is_known_by_labels_and_capacity(one: NodeView, mode: str) -> None:
    assert mode_of(one) == mode


def test_nodes_are_summed_up_in_the_columns_of_arena() -> None:
    GPUS.status.allocatable = {**GPUS.status.capacity, "nvidia.com/gpu": "3"}
    pods = [pod("a", "gpus", nvidia_com__gpu=2), pod("b", "shared", aliyun_com__gpu_mem=16), pod("c", "gpus")]
    lines = node_lines([SHARED, GPUS, PLAIN], pods, Usages({"plain": Usage(0.5, 2**31)}, {}))
    assert (
        node_summary(lines, Surroundings(), with_total=True)
        == """\
NAME    IPADDRESS  ROLE           STATUS  GPU(Total)  GPU(Allocated)  GPU(Mode)  UNHEALTHY  CPU(Used/Total)  MEMORY(Used/Total)
plain   10.0.0.1   control-plane  Ready   0           0               none       0          0.5/8            2Gi/32Gi
gpus    10.0.0.1   <none>         Ready   4           2               exclusive  1          N/A/8            N/A/32Gi
shared  10.0.0.1   <none>         Ready   4           1               share      0          N/A/8            N/A/32Gi
-----------------------------------------------------------------------------------------
Allocated/Total GPUs In Cluster:
3/8 (37.5%)
Unhealthy/Total GPUs In Cluster:
1/8 (12.5%)"""
    )
    assert node_summary(lines[2:], Surroundings(), with_total=False).splitlines() == [
        "NAME    IPADDRESS  ROLE    STATUS  GPUs(Allocated/Total)  GPU_MEMORY(Allocated/Total)  GPU_CORE(Allocated/Total)"
        "  CPU(Used/Total)  MEMORY(Used/Total)",
        "shared  10.0.0.1   <none>  Ready   1/4                    16/64GiB                     0/400                    "
        "  N/A/8            N/A/32Gi",
    ]
    details = node_details(lines[1:2], Surroundings())
    assert "UsedGPUs:       2/4(50.0%)\nUnhealthyGPUs:  1/4\n" in details
    assert (
        "  NAMESPACE  NAME  STATUS   GPU(Requested)\n  ---------  ----  ------   --------------\n  team       a     Running  2\n"
        in details
    )
    assert node_lines([GPUS], None, NOTHING)[0].gpus_allocated is None


def test_amounts_are_short() -> None:
    assert [processors(one) for one in (None, 0.0, 0.014, 1.5, 96.0)] == ["N/A", "0", "0.01", "1.5", "96"]
    assert [memory(one) for one in (None, 12, 2048, 200 * 2**20, 3 * 2**29)] == ["N/A", "12", "2Ki", "200Mi", "1.5Gi"]
