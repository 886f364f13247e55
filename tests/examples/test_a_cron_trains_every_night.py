"""examples/18-on-a-schedule, with real processes: each night goes on from what the one before has learned."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.cron.cron import CRON
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.ports.object_store import Patch
from tests.examples.catalogue import ROOT
from tests.submission.machine import Machine
from tests.surfaces.conftest import cli_of
from tests.surfaces.hollow_stage import until

FOLDER = ROOT / "examples/18-on-a-schedule"
KEY = ObjectKey("default", "nightly")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    home: Path = tmp_path_factory.mktemp("machine") / "home"
    cli = cli_of(home)
    try:
        done = cli("up")
        assert done.returncode == 0, done.stderr
        yield Machine(cli, home)
    finally:
        cli("down")


def test_each_night_goes_on_from_the_one_before(machine: Machine) -> None:
    assert machine.cli("image", "map", "examples/nightly*", "--workdir", str(FOLDER)).returncode == 0
    done = machine.cli("apply", "-f", str(FOLDER / "cron.yaml"))
    assert "cron.corral.dev/nightly created" in done.stdout, done.stderr
    access = access_of(read_kubeconfig([str(machine.home / "kubeconfig")]), "corral", os.environ)
    with SyncClient(access) as client:
        first = _night(client, machine, {"startingDeadlineSeconds": None}, 1)
        second = _night(client, machine, {"schedule": "* * * * *"}, 2)
    assert first[0] == "night 1: begins with 0.000 x + 0.000"
    learned = re.fullmatch(r"done after 1 nights: (.+)", first[-1])
    assert learned is not None
    assert second[0] == f"night 2: begins with {learned[1]}"
    assert second[-1].startswith("done after 2 nights: ")
    assert machine.cli("cron", "delete", "nightly").stdout == "cron nightly has deleted\n"


def _night(client: SyncClient, machine: Machine, change: Object, count: int) -> list[str]:
    """Lets the latest time come, however late, and returns what its job has printed."""
    client.patch(CRON, KEY, Patch("merge", {"spec": change}))
    wanted = client.get(CRON, KEY)["spec"]["schedule"]
    until(lambda: (_status(client).get("inForce") or {}).get("schedule") == wanted, "the timetable in force")
    since = {"status": {"inForce": {"since": "2026-01-01T00:00:30Z"}}}
    client.patch(CRON, KEY, Patch("merge", since), subresource="status")
    history = until(lambda: _status(client).get("history", [])[count - 1 :], f"the end of night {count}")
    client.patch(CRON, KEY, Patch("merge", {"spec": {"suspend": True}}))
    until(lambda: "inForce" not in _status(client), "the cron to rest")
    client.patch(CRON, KEY, Patch("merge", {"spec": {"suspend": False}}))
    assert history[0]["status"] == "Succeeded", machine.cli("logs", history[0]["name"]).stdout
    return [line.partition("] ")[2] or line for line in machine.said(history[0]["name"])]


def _status(client: SyncClient) -> Object:
    return client.get(CRON, KEY).get("status") or {}
