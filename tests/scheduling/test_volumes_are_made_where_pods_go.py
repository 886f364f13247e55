"""Claims on a server: a volume that is made for its first pod is told the node first; on one machine claims are folders."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.volume_view import SELECTED_NODE
from corral.kinds.well_known import PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS
from tests.scheduling.cluster import Cluster

pytest_plugins = ["corral.testing.api_servers"]

USING: dict[str, Any] = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}


def claim(cluster: Cluster, kind: str) -> None:
    spec = {
        "storageClassName": kind,
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    }
    cluster.client.create(
        PERSISTENT_VOLUME_CLAIM, {"metadata": {"name": "data", "namespace": cluster.namespace}, "spec": spec}
    )


@contextmanager
def storage_class(cluster: Cluster) -> Iterator[str]:
    """A class whose volumes are made for their first pod, where there are classes."""
    name = f"later-{cluster.token}"
    mode: Object = {"provisioner": "example.com/disks", "volumeBindingMode": "WaitForFirstConsumer"}
    if not cluster.is_real:
        yield name
        return
    cluster.client.create(STORAGE_CLASS, {"metadata": {"name": name}, **mode})
    try:
        yield name
    finally:
        cluster.client.delete(STORAGE_CLASS, ObjectKey("", name))


def test_a_claim_is_told_the_node_of_its_first_pod_before_that_is_bound(cluster: Cluster) -> None:
    node = cluster.node("one", gpus=2)
    with storage_class(cluster) as kind, cluster.scheduler():
        claim(cluster, kind)
        cluster.pod("trains", **USING)
        cluster.wait(lambda: cluster.places().get("trains"), lambda where: where == node)
        annotations = cluster.get(PERSISTENT_VOLUME_CLAIM, "data")["metadata"].get("annotations") or {}
        assert annotations.get(SELECTED_NODE) == (node if cluster.is_real else None)


def test_a_pod_waits_for_a_claim_that_is_not_there_where_there_are_volumes(cluster: Cluster) -> None:
    cluster.node("one", gpus=2)
    with storage_class(cluster) as kind, cluster.scheduler():
        cluster.pod("trains", **USING)
        if cluster.is_real:
            told = cluster.wait(lambda: cluster.condition("trains"), lambda one: one.get("message"))
            assert told["message"] == 'persistentvolumeclaim "data" not found'
            claim(cluster, kind)
        cluster.wait(lambda: cluster.places().get("trains"))
