"""What people break while Corral runs, and the one command that mends it."""

import json
import os
import shlex
import signal
from pathlib import Path

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.engine.supervisor.host import identity
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE
from tests.surfaces.conftest import Cli


def damage(home: Path) -> None:
    """Overwrites every file of the state: the log alone would be enough to restore the rest."""
    for file in (home / "state").iterdir():
        file.write_bytes(b"not a database at all" * 1000)


def test_up_writes_a_deleted_kubeconfig_again(cli: Cli, corral_home: Path) -> None:
    cli("up", "--api-only")
    before = (corral_home / "kubeconfig").read_text()
    (corral_home / "kubeconfig").unlink()
    assert cli("up", "--api-only").returncode == 0
    assert (corral_home / "kubeconfig").read_text() == before


def test_up_restores_a_deleted_token_from_the_kubeconfig(cli: Cli, corral_home: Path) -> None:
    cli("up", "--api-only")
    before = (corral_home / "token").read_text()
    (corral_home / "token").unlink()
    sick = cli("status")
    assert sick.returncode == 4
    assert "answered with an error" in sick.stdout
    assert "token is missing" in cli("doctor").stdout
    assert cli("up", "--api-only").returncode == 0
    assert (corral_home / "token").read_text() == before
    assert cli("status").returncode == 0


def test_up_makes_a_new_token_when_it_is_lost_for_good(cli: Cli, corral_home: Path) -> None:
    cli("up", "--api-only")
    (corral_home / "token").unlink()
    (corral_home / "kubeconfig").unlink()
    assert cli("up", "--api-only").returncode == 0
    assert cli("status").returncode == 0
    with SyncClient(access_of(read_kubeconfig([str(corral_home / "kubeconfig")]), "corral", {})) as client:
        assert client.get(NAMESPACE, ObjectKey("", "default"))["metadata"]["name"] == "default"


def test_a_failed_up_stops_what_it_started_and_speaks_of_this_run_only(cli: Cli, corral_home: Path) -> None:
    cli("up", "--api-only")
    cli("down")
    (corral_home / "logs" / "api.log").write_text("error: of an earlier run\nhint: of an earlier run\n")
    damage(corral_home)
    failed = cli("up", "--api-only")
    assert failed.returncode == 1
    assert failed.stderr.startswith("error: api has ended (exit status 70): ")
    assert "earlier run" not in failed.stderr
    assert "everything was stopped again" in failed.stderr
    assert cli("status").returncode == 3


def test_status_of_a_failed_process_is_4_with_a_hint(cli: Cli, corral_home: Path) -> None:
    cli("up", "--api-only")
    pid = next(p["pid"] for p in json.loads(cli("status", "-o", "json").stdout)["processes"] if p["name"] == "api")
    damage(corral_home)
    os.kill(pid, signal.SIGKILL)
    failed = cli("up", "--api-only")
    assert "the other processes go on" in failed.stderr
    done = cli("status")
    assert done.returncode == 4
    assert "not asked: its process has failed" in done.stdout
    assert f"the log is {corral_home}/logs/api.log" in done.stdout.splitlines()[-1]


def test_a_state_that_is_removed_while_it_serves_ends_the_api(cli: Cli, corral_home: Path) -> None:
    """Also without a supervisor: nobody may be told that a write to a deleted file is kept."""
    cli("up", "--api-only")
    processes = {p["name"]: p["pid"] for p in json.loads(cli("status", "-o", "json").stdout)["processes"]}
    os.kill(processes["supervisor"], signal.SIGKILL)
    (corral_home / "state" / "state.db").unlink()
    assert identity(processes["api"]).wait_gone(20)
    assert "state.db was removed or replaced" in (corral_home / "logs" / "api.log").read_text()
    assert "corral doctor --salvage" in cli("up", "--api-only").stderr
    assert cli("doctor", "--salvage").returncode == 0
    assert cli("up", "--api-only").returncode == 0


def test_up_with_other_flags_lists_what_runs_then(cli: Cli) -> None:
    cli("up", "--api-only")
    assert "controllers" in cli("up", "--no-node").stdout
    fewer = cli("up", "--api-only", "--no-node")
    assert "controllers" not in fewer.stdout
    assert "--no-node adds nothing" in fewer.stderr


def test_the_line_to_copy_is_quoted(cli: Cli, corral_home: Path) -> None:
    lines = cli("up", "--api-only").stdout.splitlines()
    line = next(line for line in lines if line.startswith("export KUBECONFIG="))
    assert shlex.split(line) == ["export", f"KUBECONFIG={corral_home}/kubeconfig"]
