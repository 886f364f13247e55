"""A node that was killed finds its containers again, and takes no stranger for one of them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from corral.engine.node.containers.ending import ending_of, kill_everything, signal_program
from corral.engine.node.containers.failed_starts import start_or_fail
from corral.engine.node.containers.record import Run, adopt, record_path, write_record
from corral.engine.node.containers.starting import start
from corral.engine.supervisor.host import ProcessIdentity, identity
from tests.node.containers.launching import PATIENCE, Launcher, ended, until

STARTER = """
import json, sys, time
from corral.engine.node.containers.launch import Launch
from corral.engine.node.containers.starting import start
fields = json.loads(sys.argv[1])
fields["argv"] = tuple(fields["argv"])
start(Launch(**fields))
print("started", flush=True)
time.sleep(1000)
"""


def test_a_node_knows_how_many_restarts_in_a_row_there_were(launcher: Launcher) -> None:
    run = start(launcher.launch("true")._replace(streak=3))
    ended(run)
    failed = start_or_fail(launcher.launch("no-such-program")._replace(streak=4))

    assert [getattr(adopt(one.folder), "streak", None) for one in (run, failed)] == [3, 4]


def started_elsewhere(launcher: Launcher, script: str) -> Run:
    """Starts a container from another process and kills that process the hard way."""
    launch = launcher.launch("sh", "-c", script)
    fields = {name: value for name, value in launch._asdict().items() if name not in ("mounts", "limits")}
    with subprocess.Popen([sys.executable, "-c", STARTER, json.dumps(fields)], stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"started\n"
        starter.send_signal(signal.SIGKILL)
    run = adopt(launch.folder)
    assert run is not None
    return run


def test_a_running_container_is_adopted_and_ended(launcher: Launcher) -> None:
    run = started_elsewhere(launcher, "trap 'exit 4' TERM; echo ready; while :; do sleep 0.01; done")
    until(lambda: "ready" in launcher.log(run))

    assert run.is_running()
    assert ending_of(run) is None
    assert signal_program(run, signal.SIGTERM, PATIENCE)

    assert ended(run).exit_code == 4


def test_the_exit_code_of_a_container_that_ended_without_a_node_is_known(launcher: Launcher, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    run = started_elsewhere(launcher, f"until [ -e {gate} ]; do sleep 0.01; done; exit 6")

    gate.touch()

    assert ended(run).exit_code == 6


def test_an_empty_folder_holds_no_run(tmp_path: Path) -> None:
    assert adopt(str(tmp_path)) is None
    assert adopt(str(tmp_path / "absent")) is None


def test_a_pid_that_belongs_to_somebody_else_is_left_alone(launcher: Launcher) -> None:
    stranger = start(launcher.launch("sleep", "1000"))
    record = stranger._replace(
        folder=launcher.folder.run("old", "main", 0),
        owner="old/main/0",
        holder=ProcessIdentity(stranger.holder.pid, stranger.holder.start + "1"),
        groups=(),
    )
    os.makedirs(record.folder)
    write_record(record)

    run = adopt(record.folder)

    assert run is not None
    assert not run.is_running()
    assert not signal_program(run, signal.SIGKILL, PATIENCE)
    assert kill_everything(run, PATIENCE)
    ending = ending_of(run)
    assert ending is not None
    assert ending.exit_code == 137
    assert stranger.is_running()


def test_a_record_from_before_a_reboot_is_of_a_run_that_ended(launcher: Launcher) -> None:
    ours = identity(os.getpid())
    folder = launcher.folder.run("rebooted", "main", 0)
    os.makedirs(folder)
    _, _, ticks = ours.start.partition(":")
    write_record(Run(folder, ProcessIdentity(ours.pid, f"00000000:{ticks}"), "rebooted/main/0", 1.0))

    run = adopt(folder)

    assert run is not None
    assert not run.is_running()
    ending = ending_of(run)
    assert ending is not None
    assert ending.exit_code == 137


def test_a_torn_record_is_of_a_run_that_ended(launcher: Launcher) -> None:
    folder = launcher.folder.run("torn", "main", 0)
    os.makedirs(folder)
    for text in ("", "{", "[]", '{"pid": 1}'):
        Path(record_path(folder)).write_text(text)

        run = adopt(folder)

        assert run is not None
        assert not run.is_running()
        ending = ending_of(run)
        assert ending is not None
        assert ending.exit_code == 137


def test_the_record_is_there_before_the_program_is(launcher: Launcher) -> None:
    launch = launcher.launch("cat", "record.json", workdir=launcher.folder.root)
    os.makedirs(launch.folder)
    run = start(launch._replace(workdir=launch.folder))

    ended(run)

    assert json.loads(launcher.log(run))["pid"] == run.holder.pid
