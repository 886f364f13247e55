"""F25: a node that was not there for a while comes back, and pods that it knew are no more.

Somebody has removed them by force, and others of the same names were made: what still runs of the old ones goes first, and
never do two processes of one rank run at the same time (invariant N7). Each process holds a lock, and notes when it is doubled.
"""

import fcntl
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import ProcessIdentity, identity
from corral.engine.supervisor.report import read_report
from corral.kinds.objects import Object
from corral.kinds.well_known import POD
from corral.ports.object_store import DeleteOptions
from tests.node.faults.patient_job import SCRIPT, notes_of, process_of
from tests.node.ground import EmbeddedGround, wait_until
from tests.node.pods.pod_manifests import pod_spec
from tests.training.stage import Stage

pytestmark = pytest.mark.parametrize("machine", ["embedded"], indirect=True)

GONE_WITHIN = 10.0


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """Keeps a process from doing anything."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def rank_pod(folder: Path, *, is_deaf: bool = False) -> Object:
    """Returns a pod of rank 0 that has much time; a deaf one does not heed the polite signal."""
    folder.mkdir(exist_ok=True)
    words = [sys.executable, str(SCRIPT), str(folder), "600"]
    deaf = ["sh", "-c", 'trap "" TERM; exec "$@"', "sh"] if is_deaf else []
    container = {"name": "main", "image": "x", "command": deaf + words, "env": [{"name": "RANK", "value": "0"}]}
    return pod_spec(container)


def begun(stage: Stage, folder: Path, spec: Object) -> ProcessIdentity:
    stage.make(POD, "rank", spec=spec)
    wait_until(lambda: notes_of(folder).get("0") == ["begun"], "the rank has begun")
    return identity(process_of(folder, 0))


def replace_by_force(stage: Stage, spec: Object) -> None:
    """Removes the pod without asking its node, and makes another of its name, which is bound to that node."""
    stage.delete(POD, "rank", DeleteOptions(grace_seconds=0))
    stage.wait_gone(POD, "rank")
    stage.make(POD, "rank", spec=spec)
    stage.wait(lambda: stage.get(POD, "rank")["spec"].get("nodeName"))


def runs_alone(stage: Stage, folder: Path, old: ProcessIdentity) -> None:
    assert old.wait_gone(GONE_WITHIN)
    wait_until(lambda: len(notes_of(folder)["0"]) > 1, "the successor has begun")
    assert notes_of(folder)["0"] == ["begun", "begun"]
    stage.wait(lambda: stage.get(POD, "rank")["status"]["phase"], lambda phase: phase == "Running")
    assert is_locked(folder / "0.lock")


def is_locked(path: Path) -> bool:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@pytest.mark.parametrize("is_deaf", [False, True])
def test_a_node_that_was_frozen(stage: Stage, machine: EmbeddedGround, tmp_path: Path, is_deaf: bool) -> None:
    folder = tmp_path / "rank"
    old = begun(stage, folder, rank_pod(folder, is_deaf=is_deaf))
    with frozen(machine.pid("node")):
        replace_by_force(stage, rank_pod(folder))
        assert old.is_alive(), "nobody else may end it"
    runs_alone(stage, folder, old)


def test_a_node_that_was_killed(stage: Stage, machine: EmbeddedGround, tmp_path: Path) -> None:
    folder = tmp_path / "rank"
    old = begun(stage, folder, rank_pod(folder))
    report = read_report(Home(str(machine.home)))
    assert report is not None
    with frozen(report.supervisor.pid):
        node = identity(machine.pid("node"))
        node.send(signal.SIGKILL)
        assert node.wait_gone(5.0)
        replace_by_force(stage, rank_pod(folder))
        assert old.is_alive(), "nobody else may end it"
    runs_alone(stage, folder, old)


def test_a_pod_that_is_gone_for_good(stage: Stage, machine: EmbeddedGround, tmp_path: Path) -> None:
    folder = tmp_path / "rank"
    old = begun(stage, folder, rank_pod(folder))
    with frozen(machine.pid("node")):
        stage.delete(POD, "rank", DeleteOptions(grace_seconds=0))
    assert old.wait_gone(GONE_WITHIN)
    assert notes_of(folder) == {"0": ["begun"]}
