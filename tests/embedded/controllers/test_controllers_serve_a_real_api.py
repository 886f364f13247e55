"""The built-in controllers are ordinary clients: they look after a real kube-apiserver just as well."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.kinds.objects import Object
from corral.kinds.well_known import CONFIG_MAP, DEPLOYMENT, JOB, NAMESPACE, NODE, POD, REPLICA_SET
from corral.ports.object_store import AT_ONCE, DeleteOptions
from corral.testing.control_plane.cluster import Choices, ControlPlane
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.conftest import in_namespace
from tests.embedded.controllers.controllers_process import ControllersProcess
from tests.embedded.controllers.pretend_kubelet import PretendKubelet, end
from tests.embedded.controllers.workloads import job_of, replicas_of, template

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


@pytest.fixture(scope="module")
def real_with_ours(control_plane_binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A real API server without kube-controller-manager, looked after by ours."""
    with ControlPlane(control_plane_binaries, Choices(durable=False)) as plane:
        config = read_kubeconfig([str(plane.kubeconfig)], must_exist=True)
        access = access_of(config, config.current, {})
        with ControllersProcess(access, tmp_path_factory.mktemp("real"), kubeconfig=plane.kubeconfig):
            yield from in_namespace(access, is_real=True)


def test_a_deployment_rolls_out(real_with_ours: Cluster) -> None:
    cluster = real_with_ours
    cluster.make(DEPLOYMENT, "web", spec=replicas_of("web", 3))
    with PretendKubelet(cluster.client, cluster.namespace):
        cluster.wait_status(DEPLOYMENT, "web", availableReplicas=3)
        cluster.change(DEPLOYMENT, "web", {"spec": {"template": template("web", "other")}})
        cluster.wait(
            lambda: sorted((one["spec"]["replicas"], one["status"]["replicas"]) for one in cluster.all(REPLICA_SET)),
            lambda seen: seen == [(0, 0), (3, 3)],
        )
    cluster.delete(DEPLOYMENT, "web", DeleteOptions("Foreground"))
    cluster.wait_gone(DEPLOYMENT, "web")
    assert cluster.pods(app="web") == []


def test_a_job_completes(real_with_ours: Cluster) -> None:
    cluster = real_with_ours
    cluster.make(JOB, "work", spec=job_of(completions=4, parallelism=2, completionMode="Indexed"))
    with PretendKubelet(cluster.client, cluster.namespace, lambda client, pod: end(client, pod, "Succeeded")):
        job = cluster.wait(
            lambda: cluster.get(JOB, "work"),
            lambda job: "Complete" in {one["type"] for one in job["status"].get("conditions") or ()},
        )
    assert job["status"]["completedIndexes"] == "0-3"
    cluster.delete(JOB, "work", DeleteOptions("Background"))
    cluster.wait(lambda: cluster.all(POD), lambda pods: not pods)


def test_a_namespace_is_emptied(real_with_ours: Cluster) -> None:
    cluster = real_with_ours
    drawer = cluster._replace(namespace=f"{cluster.namespace}-drawer")
    cluster.client.create(NAMESPACE, {"metadata": {"name": drawer.namespace}})
    drawer.make(CONFIG_MAP, "held", metadata={"finalizers": ["example.com/held"]})
    drawer.delete(NAMESPACE, drawer.namespace)
    drawer.wait(
        lambda: {
            one["type"]: one["status"]
            for one in drawer.get(NAMESPACE, drawer.namespace)["status"].get("conditions") or ()
        },
        lambda seen: seen.get("NamespaceFinalizersRemaining") == "True",
    )
    drawer.change(CONFIG_MAP, "held", {"metadata": {"finalizers": None}})
    drawer.wait_gone(NAMESPACE, drawer.namespace)


def test_a_pod_hears_why_it_waits_and_is_bound(real_with_ours: Cluster) -> None:
    """A real server marks every new node as not ready until somebody looks after it."""
    cluster = real_with_ours
    amounts = {"pods": "10", "nvidia.com/gpu": "1"}
    ready = {"allocatable": amounts, "capacity": amounts, "conditions": [{"type": "Ready", "status": "True"}]}
    cluster.make(NODE, "one", status=ready)
    container = {"name": "main", "image": "any", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    cluster.make(POD, "waits", spec={"containers": [container]})

    def told(pod: Object) -> dict[str, str]:
        conditions = pod["status"].get("conditions") or []
        return {one["status"]: one.get("message", "") for one in conditions if one["type"] == "PodScheduled"}

    sentence = "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }."
    cluster.wait(lambda: told(cluster.get(POD, "waits")), {"False": sentence}.__eq__)
    cluster.change(NODE, "one", {"spec": {"taints": None}})
    pod = cluster.wait(lambda: cluster.get(POD, "waits"), lambda pod: pod["spec"].get("nodeName") == "one")
    assert told(pod) == {"True": ""}
    cluster.delete(POD, "waits", AT_ONCE)
    cluster.delete(NODE, "one")
