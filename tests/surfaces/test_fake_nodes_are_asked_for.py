"""`corral up --fake-nodes`: the nodes come with it, play pods, and stay until others, or none, are asked for."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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


def test_fake_nodes_come_with_the_flag_stay_without_it_and_go_by_none(cli: Cli, corral_home: Path) -> None:
    done = cli("up", "--no-node", "--fake-nodes", "2x8:V100", "--fake-nodes", "1x0")
    assert "fake-nodes" in done.stdout, done.stderr
    with _client(corral_home) as client:
        assert _nodes(client) == {"fake-v100-000", "fake-v100-001", "fake-cpu-000"}, "it returns when they are there"
        client.create(POD, {"metadata": {"name": "train", "namespace": "default"}, "spec": SPEC})
        _until(client, lambda: _phase(client) == "Running")
        node = client.get(POD, ObjectKey("default", "train"))["spec"]["nodeName"]
        kept = cli("up", "--no-node")
        assert kept.stderr == (
            "note: the fake nodes of the last start are kept: 2x8:V100 1x0; `corral up --fake-nodes none` takes them away\n"
        )
        assert "fake-nodes" in kept.stdout
        cli("down")
        started = cli("list")
        assert "note: the fake nodes of the last start are kept: 2x8:V100 1x0" in started.stderr
        assert "fake-nodes" in cli("status").stdout
        assert _phase(client) == "Running"
        cli("up", "--api-only")
        gone = cli("up", "--no-node", "--fake-nodes", "none")
        assert gone.stderr == (
            "note: 3 fake nodes go (fake-v100-000, fake-v100-001, fake-cpu-000); "
            "what runs there fails with the reason NodeLost: default/train\n"
        )
        assert node.startswith("fake-v100-")
        _until(
            client, lambda: not any(name.startswith("fake-") for name in _nodes(client))
        )  # `list` started our own node
        assert _phase(client) == "Failed"
    assert "fake" not in cli("up", "--no-node").stderr


def test_starts_at_the_same_time_lose_no_fake_nodes(cli: Cli, corral_home: Path) -> None:
    with ThreadPoolExecutor() as pool:
        words = [("up", "--no-node"), ("up", "--no-node", "--fake-nodes", "2x4"), ("list",), ("up", "--no-node")]
        ended = list(pool.map(lambda line: cli(*line), words))
    assert [done.returncode for done in ended] == [0, 0, 0, 0], [done.stderr for done in ended]
    with _client(corral_home) as client:
        assert _nodes(client) >= {"fake-gpu-000", "fake-gpu-001"}


def test_who_follows_a_pod_on_a_fake_node_is_told_that_it_is_only_played(cli: Cli, corral_home: Path) -> None:
    cli("up", "--no-node", "--fake-nodes", "1x8")
    with _client(corral_home) as client:
        short = {"corral.dev/fake-run-seconds": "1"}
        client.create(POD, {"metadata": {"name": "train", "namespace": "default", "annotations": short}, "spec": SPEC})
    done = cli("logs", "-f", "train")
    assert done.stderr.splitlines() == [
        "note: pod train is on fake-gpu-000, which is a fake node: its pods are only played, so nothing of them runs or prints",
        "pod train has ended",
    ]


def _client(home: Path) -> SyncClient:
    return SyncClient(access_of(read_kubeconfig([str(home / "kubeconfig")]), "corral", os.environ))


def _nodes(client: SyncClient) -> set[str]:
    return {node["metadata"]["name"] for node in client.list(NODE)}


def _phase(client: SyncClient) -> str:
    return str(client.get(POD, ObjectKey("default", "train"))["status"]["phase"])


def _until(client: SyncClient, holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < deadline, client.list(POD)
        time.sleep(0.05)


def test_a_choice_that_nobody_can_read_any_more_counts_as_none(cli: Cli, corral_home: Path) -> None:
    corral_home.mkdir(mode=0o700)
    (corral_home / "fake-nodes").write_text("what is this\n")
    assert cli("up").returncode == 0
    assert cli("up", "--fake-nodes", "1x2").returncode == 0
    assert (corral_home / "fake-nodes").read_text() == "1x2\n"
