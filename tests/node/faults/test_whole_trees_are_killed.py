"""F39: everything of `corral up` is killed at once, with the containers running on, or all of it as by a reboot.

`corral up` then finds again what runs, knows how the rest has ended, and starts again what shall run. A pid that belongs to
somebody else by now is left alone, even when everything but the boot fits. `corral down` leaves nothing on the machine,
whatever was killed before.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.engine.node.machine.control_groups import remove_groups
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import identity, start_mark
from corral.engine.supervisor.report import read_report
from corral.kinds.objects import Object
from corral.kinds.well_known import POD
from tests.node.bad_input.test_bad_input_is_told import container_of
from tests.node.conftest import stage_on
from tests.node.faults.traces import control_groups, marked_processes, mounts
from tests.node.ground import EmbeddedGround, embedded_machine, wait_until
from tests.node.pods.pod_manifests import pod_spec, shell
from tests.training.stage import Stage

FULL = bool(os.environ.get("CORRAL_TEST_FULL"))
"""The short run leaves out what takes ten seconds to be killed, and kills everything at once."""
STRAY = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\ntime.sleep(600)"
"""Leaves its session, and stays when its parent is gone."""


@pytest.fixture
def ground() -> Iterator[EmbeddedGround]:
    """A home of its own: all of it is killed."""
    with embedded_machine() as ground:
        yield ground


@pytest.fixture
def quiet(ground: EmbeddedGround) -> Iterator[Stage]:
    """A namespace that goes with its server."""
    yield from stage_on(ground)


def kill_all_parts(ground: EmbeddedGround) -> None:
    """Kills the supervisor and everything that it started, at once."""
    report = read_report(Home(str(ground.home)))
    assert report is not None
    everything = [report.supervisor, *(child.process for child in report.children)]
    for process in everything:
        process.send(signal.SIGKILL)
    for process in everything:
        assert process.wait_gone(10.0)


def make(stage: Stage, name: str, container: Object, policy: str = "Never") -> None:
    seen: Object = {"volumeMounts": [{"name": "v", "mountPath": f"/corral-{stage.namespace}/{name}"}]}
    spec = pod_spec({**container, **seen}, policy=policy, volumes=[{"name": "v", "emptyDir": {}}])
    stage.make(POD, name, spec=spec)
    wait_running(stage, name)


def wait_running(stage: Stage, name: str, restarts: int = 0) -> None:
    stage.wait(
        lambda: container_of(stage, name, "main"),
        lambda one: "running" in one["state"] and one["restartCount"] == restarts,
    )


def ended(stage: Stage, name: str) -> Object:
    found: Object = stage.wait(lambda: container_of(stage, name, "main")["state"].get("terminated") or {})
    return found


def records(ground: EmbeddedGround) -> dict[str, Path]:
    """Returns the record of the first run of each pod, by the name of the pod."""
    found = {}
    for path in (ground.folder / "pods").glob("*/containers/main/0/record.json"):
        pod = json.loads((path.parents[3] / "pod.json").read_text())
        found[str(pod["metadata"]["name"])] = path
    return found


def test_what_still_runs_is_found_again(ground: EmbeddedGround, quiet: Stage, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    make(quiet, "running", shell("sleep 600"), policy="Always")
    make(quiet, "ending", shell(f"until test -e {gate}; do sleep 0.05; done; exit 5"))
    holders = {name: json.loads(path.read_text())["pid"] for name, path in records(ground).items()}
    kill_all_parts(ground)
    gate.touch()
    assert identity(holders["ending"]).wait_gone(10.0)
    assert identity(holders["running"]).start
    ground.up()
    assert ended(quiet, "ending")["exitCode"] == 5
    wait_running(quiet, "running")
    quiet.delete(POD, "running")
    quiet.wait_gone(POD, "running")
    assert not identity(holders["running"]).start


def test_after_a_reboot_nothing_is_found_and_nobody_else_is_touched(ground: EmbeddedGround, quiet: Stage) -> None:
    make(quiet, "always", shell("sleep 600"), policy="Always")
    make(quiet, "once", shell("sleep 600"))
    kill_all_parts(ground)
    for pid in marked_processes(ground.folder):
        os.kill(pid, signal.SIGKILL)
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as stranger:
        try:
            for path in records(ground).values():
                give_pid_to(stranger.pid, path)
            ground.up()
            wait_running(quiet, "always", restarts=1)
            assert ended(quiet, "once")["exitCode"] == 137
            quiet.delete(POD, "once")
            quiet.wait_gone(POD, "once")
            assert stranger.poll() is None, "nobody may signal a process that is not ours"
        finally:
            stranger.kill()


def give_pid_to(pid: int, record: Path) -> None:
    """Rewrites a record as if it were from before a reboot, and its pid belonged to another process now.

    The ticks since the boot are those of the other process, so that the boot alone tells them apart. What had joined the
    container is recorded under that pid as well, and its control groups are gone.
    """
    ticks = start_mark(pid).partition(":")[2]
    fields = json.loads(record.read_text())
    assert remove_groups(fields["groups"], patience=10.0)
    record.write_text(json.dumps({**fields, "pid": pid, "start": f"00000000:{ticks}"}))
    execs = record.parent / "execs"
    execs.mkdir(exist_ok=True)
    (execs / str(pid)).write_text(f"{pid} 00000000:{ticks}\n")


@pytest.mark.parametrize("first", ["everything", "node", "nothing"] if FULL else ["everything"])
def test_down_leaves_nothing_and_up_begins_again(ground: EmbeddedGround, quiet: Stage, first: str) -> None:
    """`first` is what is killed before; then `corral down` must do without it."""
    make(quiet, "always", {"name": "main", "image": "x", "command": [sys.executable, "-c", STRAY]}, policy="Always")
    make(quiet, "deaf", shell("trap '' TERM; while :; do sleep 0.05; done" if FULL else "sleep 600"))
    limited: Object = {"resources": {"limits": {"memory": "100Mi"}}}
    make(quiet, "limited", shell("sleep 600", **limited))
    wait_until(lambda: len(marked_processes(ground.folder)) >= 7, "all processes are there")
    assert control_groups(ground.folder)
    if first == "node":
        ground.kill("node")
    if first == "everything":
        kill_all_parts(ground)
    ground.down()
    assert marked_processes(ground.folder) == {}
    assert control_groups(ground.folder) == []
    assert mounts(ground.folder) == []
    assert not Path(f"/corral-{quiet.namespace}").exists(), "what was made to mount over is gone"
    ground.up()
    wait_running(quiet, "always", restarts=1)
    assert ended(quiet, "deaf")["exitCode"] == (137 if FULL else 143)
    assert ended(quiet, "limited")["exitCode"] == 143
