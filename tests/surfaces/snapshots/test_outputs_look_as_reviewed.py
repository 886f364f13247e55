"""Whole outputs, as somebody has read and liked them: into a pipe, on terminals of 80 and 160 columns, without colour.

What is expected lies in `expected/`, one file for each command line. `CORRAL_SNAPSHOTS=write` writes the files anew: read the
difference before you commit it. The cluster that is looked at is `scene.py`.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.well_known import POD
from corral.ports.object_store import Scope
from corral.testing.hollow_node import Script, hollow_node_thread
from tests.surfaces.conftest import cli_of
from tests.surfaces.hollow_stage import until
from tests.surfaces.snapshots.scene import LONG, Scene
from tests.surfaces.snapshots.shown import Driver, too_long

EXPECTED = Path(__file__).parent / "expected"

CASES = {
    "list": "corral list",
    "list-everywhere": "corral list -A",
    "list-wide": "corral list -o wide",
    "list-names": "corral list -o name",
    "list-of-a-type": "corral list -T mpi",
    "list-nothing": "corral list -n kube-public",
    "list-always-coloured": "corral --color always list",
    "list-never-coloured": "corral --color never list",
    "get-running": "corral get resnet",
    "get-waiting": f"corral get {LONG}",
    "get-waiting-with-events": f"corral get {LONG} -e",
    "get-failed": "corral get digits",
    "get-succeeded": "corral get mpi-dist",
    "get-suspended": "corral get paused",
    "get-gpus": "corral get resnet -g",
    "get-pods": "corral get pods",
    "why-waiting": f"corral why {LONG}",
    "why-failed": "corral why digits",
    "why-running": "corral why resnet",
    "top-queue": "corral top queue",
    "top-queue-json": "corral top queue vision -o json",
    "error-queue": "corral top queue visoin",
    "events": f"corral events {LONG}",
    "logs": "corral logs talks -n loud",
    "submit-trial": "corral submit pytorchjob --name trial --image repo/i:1 --workers 2 --dry-run=client 'python train.py'",
    "submit-refused": "corral submit tfjob --name Trial --image repo/i:1 --gpus 0.5 'python train.py'",
    "submit-ray": "corral submit rayjob --name ray 'python train.py'",
    "help-submit": "corral submit --help",
    "help-submit-tfjob": "corral submit tfjob --help",
    "help-list": "corral list --help",
    "help-get": "corral get --help",
    "help-logs": "corral logs --help",
    "error-job": "corral get resnte",
    "error-command": "corral lits",
    "error-option": "corral list --al",
    "error-json": "corral get resnte -o json",
    "error-context": "corral list --context nowhere",
}
MAY_BE_LONG = ("-o wide", "-o json", "-o name")
"""Who asks for these asks for everything."""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    home = tmp_path_factory.mktemp("scene") / "home"
    cli = cli_of(home)
    try:
        done = cli("up", "--api-only")
        assert done.returncode == 0, done.stderr
        access = access_of(read_kubeconfig([str(home / "kubeconfig")]), "corral", os.environ)
        with hollow_node_thread(access, Script(), namespace="loud"), SyncClient(access) as client:
            scene = Scene(client)
            scene.loud()
            scene.write()
            until(lambda: _has_ended(client), "the end of the pods that print")
            started = Driver(home)
            yield started
            started.close()
    finally:
        cli("down")


def _has_ended(client: SyncClient) -> bool:
    return all(pod["status"].get("phase") == "Succeeded" for pod in client.list(POD, Scope("loud")))


@pytest.mark.parametrize("name", CASES)
def test_what_is_shown_is_what_was_reviewed(driver: Driver, name: str) -> None:
    line, kept = CASES[name], EXPECTED / f"{name}.txt"
    looks = driver.looked_at(line)
    shown = driver.shown(line, looks)
    if os.environ.get("CORRAL_SNAPSHOTS") == "write":
        kept.write_text(shown)
    assert shown == kept.read_text()
    assert too_long(looks) == [] or line.endswith(MAY_BE_LONG)


def test_no_snapshot_is_left_of_a_command_line_that_is_gone() -> None:
    assert {path.stem for path in EXPECTED.iterdir()} == set(CASES)
