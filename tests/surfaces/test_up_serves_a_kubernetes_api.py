"""`corral up` from the outside: the real supervisor, the real API server, the files that people and kubectl use."""

import json
import os
import signal
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE
from tests.surfaces.conftest import Cli


def test_up_returns_when_the_api_answers(cli: Cli, corral_home: Path) -> None:
    done = cli("up", "--api-only")
    assert done.returncode == 0, done.stderr
    assert "Corral is up, ready in" in done.stdout
    assert done.stderr == ""
    with _client(corral_home) as client:
        assert client.get(NAMESPACE, ObjectKey("", "default"))["metadata"]["name"] == "default"


def test_up_again_is_harmless_and_status_tells_all(cli: Cli) -> None:
    cli("up", "--api-only")
    assert "already up" in cli("up", "--api-only").stdout
    done = cli("status", "-o", "json")
    status = json.loads(done.stdout)
    assert done.returncode == 0
    assert status["running"] is True
    assert status["api"].startswith("v1.")
    assert status["objects"] >= 4
    assert [process["name"] for process in status["processes"]] == ["supervisor", "api"]
    assert all(process["memoryBytes"] > 0 for process in status["processes"])


def test_a_node_runs_unless_it_is_left_out(cli: Cli) -> None:
    cli("up")
    with_node = json.loads(cli("status", "-o", "json").stdout)["processes"]
    assert [process["name"] for process in with_node] == ["supervisor", "api", "controllers", "node"]
    cli("up", "--no-node")
    without = json.loads(cli("status", "-o", "json").stdout)["processes"]
    assert [process["name"] for process in without] == ["supervisor", "api", "controllers"]


def test_objects_survive_a_kill_and_a_restart(cli: Cli, corral_home: Path) -> None:
    cli("up", "--api-only")
    with _client(corral_home) as client:
        client.create(NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kept"}})
    processes = json.loads(cli("status", "-o", "json").stdout)["processes"]
    os.kill(processes[1]["pid"], signal.SIGKILL)
    with _client(corral_home) as client:
        assert client.get(NAMESPACE, ObjectKey("", "kept"))["metadata"]["name"] == "kept"
    assert cli("down").stdout == "stopped api, supervisor\n"
    cli("up", "--api-only")
    with _client(corral_home) as client:
        assert client.get(NAMESPACE, ObjectKey("", "kept"))["metadata"]["name"] == "kept"


def test_without_the_token_only_health_and_version_are_answered(cli: Cli, corral_home: Path) -> None:
    """Invariant A10."""
    cli("up", "--api-only")
    address = access_of(read_kubeconfig([str(corral_home / "kubeconfig")]), "corral", {}).server
    for path in ("/healthz", "/livez", "/readyz", "/version"):
        with urllib.request.urlopen(address + path) as answer:
            assert answer.status == 200
    for path in ("/api", "/api/v1/namespaces", "/metrics"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(address + path).close()
        with refused.value:
            assert refused.value.code == 401


def test_a_damaged_state_file_is_named_and_not_served(cli: Cli, corral_home: Path) -> None:
    """Invariant S6, seen from the command line."""
    cli("up", "--api-only")
    cli("down")
    for file in (corral_home / "state").iterdir():
        file.write_bytes(b"not a database at all" * 1000)
    done = cli("up", "--api-only")
    assert done.returncode == 1
    assert str(corral_home / "state") in done.stderr
    assert "hint:" in done.stderr
    assert cli("doctor").returncode == 1


def _client(home: Path) -> SyncClient:
    return SyncClient(access_of(read_kubeconfig([str(home / "kubeconfig")]), "corral", {}))
