"""What the ledger rests on, on both servers: a bind is of one pod in one version, and brings its annotations with it."""

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.ports.object_store import Patch, WriteOptions
from corral.ports.refusals import ConflictError
from corral.testing.api_under_test import ApiUnderTest

pytest_plugins = ["corral.testing.api_servers"]


def made(client: SyncClient, namespace: str, name: str) -> Object:
    spec = {"schedulerName": "corral", "containers": [{"name": "main", "image": "any"}], "serviceAccountName": ""}
    return client.create(POD, {"metadata": {"name": name, "namespace": namespace}, "spec": spec})


def bind(client: SyncClient, pod: Object, node: str, version: str, **annotations: str) -> None:
    metadata = {field: pod["metadata"][field] for field in ("name", "namespace", "uid")}
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {**metadata, "resourceVersion": version, "annotations": annotations},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
    client.create(POD, body, WriteOptions(deterministic=True), subresource="binding")


def test_a_bind_of_another_version_changes_nothing(api: ApiUnderTest) -> None:
    with SyncClient(api.access) as client:
        pod = made(client, api.namespace, "a")
        key, version = ObjectKey(api.namespace, "a"), pod["metadata"]["resourceVersion"]
        client.patch(POD, key, Patch("merge", {"metadata": {"annotations": {"touched": "1"}}}))
        with pytest.raises(ConflictError, match="ResourceVersion in precondition"):
            bind(client, pod, "node-a", version)
        now = client.get(POD, key)
        assert "nodeName" not in now["spec"]
        bind(client, pod, "node-a", now["metadata"]["resourceVersion"], touched="2", given="0,1")
        bound = client.get(POD, key)
        assert bound["spec"]["nodeName"] == "node-a"
        assert {name: bound["metadata"]["annotations"][name] for name in ("touched", "given")} == {
            "touched": "2",
            "given": "0,1",
        }


def test_a_bind_of_another_pod_of_the_name_changes_nothing(api: ApiUnderTest) -> None:
    with SyncClient(api.access) as client:
        pod = made(client, api.namespace, "b")
        other = {"metadata": {**pod["metadata"], "uid": "00000000-0000-4000-8000-000000000000"}}
        with pytest.raises(ConflictError, match="UID in precondition"):
            bind(client, other, "node-a", "")
        assert "nodeName" not in client.get(POD, ObjectKey(api.namespace, "b"))["spec"]
