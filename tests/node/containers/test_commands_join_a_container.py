"""A command that joins a container sees what the container sees, from whichever process, and ends with it."""

import asyncio
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from corral.engine.node.containers.ending import joined, kill_everything, processes_of
from corral.engine.node.containers.joining import NOT_RUNNING, Joined, Streams, become, join
from corral.engine.node.containers.launch import Mount, StartRefusedError
from corral.engine.node.containers.record import Run, execs_path
from corral.engine.node.machine.mounts import why_no_mounts
from tests.node.containers.launching import PATIENCE, Launcher, ended, until
from tests.node.containers.test_ends_are_told_to_the_event_loop import told

AGENT = """
import sys
from corral.engine.node.containers.joining import become
become(sys.argv[1], sys.argv[2:], {"EXTRA": "more"})
"""


def joined_output(run: Run, *argv: str, **options: object) -> tuple[int, str]:
    """Runs a command inside a container and returns its exit code and its output."""
    reading, writing = os.pipe()
    with open(os.devnull) as nothing:
        try:
            command = join(run.folder, argv, Streams(nothing.fileno(), writing, writing), **options)  # type: ignore[arg-type]
        finally:
            os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    code = exit_code(command)
    return code, text


def everywhere(handle: int) -> Streams:
    return Streams(handle, handle, handle)


def exit_code(command: Joined) -> int:
    _, status = os.waitpid(command.process.pid, 0)
    command.forget()
    return os.waitstatus_to_exitcode(status)


def test_it_has_the_environment_and_the_working_directory_of_the_container(launcher: Launcher, tmp_path: Path) -> None:
    run = launcher.shell("sleep 1000", env={"COLOUR": "red", "odd.name": "1"}, workdir=str(tmp_path))

    code, text = joined_output(run, "sh", "-c", "echo $COLOUR $EXTRA $CORRAL_CONTAINER; pwd", extra_env={"EXTRA": "e"})
    _, variables = joined_output(run, "env")

    assert (code, text) == (0, f"red e {run.owner}\n{tmp_path}\n")
    assert "odd.name=1\n" in variables


def test_its_exit_code_goes_to_its_parent(launcher: Launcher) -> None:
    run = launcher.shell("sleep 1000")

    assert joined_output(run, "sh", "-c", "exit 9")[0] == 9
    assert joined_output(run, "sh", "-c", "kill -TERM $$")[0] == -signal.SIGTERM
    assert joined(run) == []


def test_it_is_in_the_control_groups_of_the_container(launcher: Launcher) -> None:
    run = launcher.shell("sleep 1000")
    if not run.groups:
        pytest.skip("this machine gives no control groups")

    _, text = joined_output(run, "cat", "/proc/self/cgroup")

    assert all(group.partition("/corral/")[2] in text for group in run.groups)


def test_it_sees_the_mounts_of_the_container(launcher: Launcher, tmp_path: Path) -> None:
    if why_no_mounts():
        pytest.skip(why_no_mounts())
    (tmp_path / "volume").mkdir()
    (tmp_path / "volume" / "file").write_text("inside")
    (tmp_path / "volume" / "tool").write_text("#!/bin/sh\necho tool\n")
    (tmp_path / "volume" / "tool").chmod(0o755)
    run = launcher.shell("sleep 1000", mounts=(Mount(str(tmp_path / "volume"), "/corral-joined/data"),))

    assert joined_output(run, "cat", "/corral-joined/data/file") == (0, "inside")
    assert joined_output(run, "/corral-joined/data/tool") == (0, "tool\n"), "programs are looked for inside"
    assert not os.path.exists("/corral-joined")


def test_it_ends_with_the_container(launcher: Launcher) -> None:
    for is_grouped in (True, False):
        run = launcher.shell("sleep 1000")
        with open(os.devnull, "r+") as nothing:
            streams = everywhere(nothing.fileno())
            command = join(run.folder, ["env", "-i", "sleep", "1000"], streams)
        view = run if is_grouped else run._replace(groups=())
        assert command.process in processes_of(view)

        assert kill_everything(view, PATIENCE)

        assert not command.process.is_alive()
        assert exit_code(command) == -signal.SIGKILL


def test_a_container_that_has_ended_cannot_be_joined(launcher: Launcher, tmp_path: Path) -> None:
    run = launcher.shell("exit 0")
    ended(run)

    for folder in (run.folder, str(tmp_path)):
        with pytest.raises(StartRefusedError) as caught:
            join(folder, ["true"], Streams(0, 1, 2))
        assert caught.value.reason == NOT_RUNNING


def test_a_missing_program_is_named(launcher: Launcher) -> None:
    run = launcher.shell("sleep 1000")

    with pytest.raises(StartRefusedError, match="'no-such-program'"):
        join(run.folder, ["no-such-program"], Streams(0, 1, 2))

    assert os.listdir(execs_path(run.folder)) == []


def test_the_event_loop_learns_of_its_end(launcher: Launcher) -> None:
    run = launcher.shell("sleep 1000")
    with open(os.devnull, "r+") as nothing:
        command = join(run.folder, ["sh", "-c", "exit 3"], everywhere(nothing.fileno()))

    assert asyncio.run(told(command.process)).exit_code == 3


def test_it_can_be_killed_alone(launcher: Launcher) -> None:
    run = launcher.shell("sleep 1000")
    with open(os.devnull, "r+") as nothing:
        command = join(run.folder, ["sh", "-c", "sleep 1000 & wait"], everywhere(nothing.fileno()))

    command.kill()

    assert exit_code(command) == -signal.SIGKILL
    assert run.is_running()


def test_it_may_control_a_terminal(launcher: Launcher) -> None:
    run = launcher.shell("sleep 1000")
    ours, theirs = pty.openpty()
    command = join(run.folder, ["tty"], Streams(theirs, theirs, theirs, is_terminal=True))
    os.close(theirs)

    assert b"/dev/pts/" in os.read(ours, 100)
    assert exit_code(command) == 0
    os.close(ours)


def test_another_process_becomes_a_command_inside(launcher: Launcher) -> None:
    """The agents of MPI run in a container of their own and know nothing but the folder of the other."""
    run = launcher.shell("sleep 1000", env={"COLOUR": "blue"})
    agent = [sys.executable, "-c", AGENT, run.folder]

    answer = subprocess.run(
        [*agent, "sh", "-c", "cat; echo $COLOUR $EXTRA; exit 8"], input="in\n", capture_output=True, text=True
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (8, "in\nblue more\n", "")

    with subprocess.Popen([*agent, "sleep", "1000"]) as process:
        until(lambda: [each for each in joined(run) if each.pid == process.pid])
        assert kill_everything(run, PATIENCE)
        assert process.wait(20) == -signal.SIGKILL


def test_an_agent_in_one_container_joins_another(launcher: Launcher, tmp_path: Path) -> None:
    if why_no_mounts():
        pytest.skip(why_no_mounts())
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "file").write_text("of the worker\n")
    worker = launcher.shell("sleep 1000", mounts=(Mount(str(tmp_path / "two"), "/corral-joined"),))
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)

    launcher_run = launcher.shell(
        f"{sys.executable} {agent} {worker.folder} cat /corral-joined/file; cat /corral-joined/file",
        mounts=(Mount(str(tmp_path / "one"), "/corral-joined"),),
    )

    assert ended(launcher_run).exit_code == 1
    assert launcher.log(launcher_run).startswith("of the worker\n")
    assert "No such file" in launcher.log(launcher_run)


def test_becoming_part_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StartRefusedError, match="does not run"):
        become(str(tmp_path), ["true"])
