"""`corral up --fake-nodes`: the nodes come with it, play pods, and go with the next `corral up` that does not ask."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE, POD
from tests.surfaces.conftest import Cli

LIMIT = 60.0
SPEC: Object = {
    "restartPolicy": "Never",
    "containers": [{"name": "main", "image": "any", "resources": {"limits": {"nvidia.com/gpu": "8"}}}],
}


def test_fake_nodes_come_and_go_with_the_flag(cli: Cli, corral_home: Path) -> None:
    done = cli("up", "--no-node", "--fake-nodes", "2x8:V100", "--fake-nodes", "1x0")
    assert "fake-nodes" in done.stdout, done.stderr
    access = access_of(read_kubeconfig([str(corral_home / "kubeconfig")]), "corral", os.environ)
    with SyncClient(access) as client:
        client.create(POD, {"metadata": {"name": "train", "namespace": "default"}, "spec": SPEC})
        _until(client, lambda: _phase(client) == "Running")
        assert {node["metadata"]["name"] for node in client.list(NODE)} == {
            "fake-v100-000",
            "fake-v100-001",
            "fake-cpu-000",
        }
        assert "fake-nodes" not in cli("up", "--no-node").stdout
        _until(client, lambda: not client.list(NODE))
        assert _phase(client) == "Failed"


def _phase(client: SyncClient) -> str:
    return str(client.get(POD, ObjectKey("default", "train"))["status"]["phase"])


def _until(client: SyncClient, holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < deadline, client.list(POD)
        time.sleep(0.05)
