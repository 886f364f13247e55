"""A container that cannot start says why, in words that name what is missing, and leaves nothing behind."""

import os
import signal
from pathlib import Path

import pytest

from corral.engine.node.containers.forking import Program, fork_into
from corral.engine.node.containers.group_names import group_name, node_name
from corral.engine.node.containers.launch import Limits, Mount, StartRefusedError
from corral.engine.node.containers.record import adopt
from corral.engine.node.containers.starting import start
from corral.engine.node.machine.control_groups import hierarchies, join_groups, make_groups
from corral.engine.node.machine.mounts import why_no_mounts
from tests.node.containers.launching import Launcher


def script(folder: Path, text: str, mode: int = 0o755) -> str:
    path = folder / "script"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def refusal(launcher: Launcher, *argv: str, **options: object) -> StartRefusedError:
    launch = launcher.launch(*argv, **options)  # type: ignore[arg-type]
    with pytest.raises(StartRefusedError) as caught:
        start(launch)
    assert adopt(launch.folder) is None, "nothing is left of it"
    groups = [os.path.join(place, node_name(launch.folder), group_name(launch.owner)) for place in hierarchies()]
    assert not any(os.path.exists(group) for group in groups), "no group is left"
    return caught.value


def test_a_program_that_is_not_there_is_named(launcher: Launcher) -> None:
    error = refusal(launcher, "no-such-program")

    assert error.reason == "StartError"
    assert "'no-such-program'" in error.message
    assert "/usr/bin" in error.message


def test_words_of_the_shell_are_no_programs(launcher: Launcher) -> None:
    assert "'exit'" in refusal(launcher, "exit", "3").message


def test_an_empty_command_is_refused(launcher: Launcher) -> None:
    assert "empty" in refusal(launcher).message
    assert "empty" in refusal(launcher, "").message


def test_a_file_that_is_not_executable_is_named(launcher: Launcher, tmp_path: Path) -> None:
    path = script(tmp_path, "#!/bin/sh\n", 0o644)

    error = refusal(launcher, path)

    assert path in error.message
    assert "chmod" in error.message


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("#!/opt/no/python\n", "'/opt/no/python'"),
        ("#!/usr/bin/env no-such-python\n", "'no-such-python'"),
        ("#!/bin/sh\r\n", "carriage return"),
        ("#!\n", "names no interpreter"),
        ("echo hello\n", "'#!'"),
    ],
)
def test_a_script_without_its_interpreter_is_named(launcher: Launcher, tmp_path: Path, text: str, want: str) -> None:
    error = refusal(launcher, script(tmp_path, text))

    assert error.reason == "StartError"
    assert want in error.message


def test_a_folder_is_no_program(launcher: Launcher, tmp_path: Path) -> None:
    assert "folder" in refusal(launcher, str(tmp_path)).message


def test_a_pipe_is_no_program_and_holds_nobody_up(launcher: Launcher, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o755)

    error = refusal(launcher, str(tmp_path / "pipe"))

    assert error.reason == "StartError"
    assert "no regular file" in error.message
    assert "'pipe'" in refusal(launcher, "pipe", env={"PATH": str(tmp_path)}).message


def test_a_child_that_hangs_before_its_program_is_killed_and_told() -> None:
    reading, writing = os.pipe()

    def hang() -> Program:
        os.write(3, str(os.getpid()).encode())
        signal.pause()
        raise AssertionError

    with (
        open(os.devnull, "rb") as nothing,
        pytest.raises(StartRefusedError, match="did not become a program") as caught,
    ):
        fork_into(hang, (*[nothing.fileno()] * 3, writing), patience=0.5)

    assert caught.value.reason == "CreateContainerError"
    assert not os.path.exists(f"/proc/{os.read(reading, 20).decode()}"), "it is killed and reaped"
    os.close(reading)
    os.close(writing)


def test_a_missing_working_directory_is_named(launcher: Launcher, tmp_path: Path) -> None:
    error = refusal(launcher, "true", workdir=str(tmp_path / "absent"))

    assert error.reason == "CreateContainerError"
    assert "absent" in error.message
    assert "workingDir" in error.message


def test_a_program_is_looked_for_in_the_working_directory(launcher: Launcher, tmp_path: Path) -> None:
    script(tmp_path, "#!/bin/sh\nexit 0\n")

    assert start(launcher.launch("./script", workdir=str(tmp_path))).holder.wait_gone(20)


@pytest.mark.parametrize("argument", ["a\0b", "\ud800"])
def test_what_no_argument_can_hold_is_refused(launcher: Launcher, argument: str) -> None:
    assert refusal(launcher, "true", argument).reason == "StartError"
    assert refusal(launcher, "true", env={"X": argument}).reason == "StartError"


def test_too_much_environment_is_refused(launcher: Launcher) -> None:
    assert "too long" in refusal(launcher, "true", env={"X": "x" * 3_000_000}).message


def test_a_missing_volume_is_named(launcher: Launcher, tmp_path: Path) -> None:
    if why_no_mounts():
        pytest.skip(why_no_mounts())
    error = refusal(launcher, "true", mounts=(Mount(str(tmp_path / "gone"), "/data"),))

    assert error.reason == "CreateContainerError"
    assert "gone" in error.message
    assert "'/data'" in error.message


def test_processors_that_are_not_there_are_refused(launcher: Launcher) -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system cannot bind processes to processors")
    assert "processors" in refusal(launcher, "true", limits=Limits(cpus=(4000,))).message


def test_a_log_that_cannot_be_written_is_named(launcher: Launcher, tmp_path: Path) -> None:
    launch = launcher.launch("true")._replace(log=str(tmp_path))

    with pytest.raises(StartRefusedError, match="cannot prepare"):
        start(launch)


def test_a_machine_without_room_for_processes_is_told(launcher: Launcher) -> None:
    place = hierarchies().membership
    if not place:
        pytest.skip("this machine gives no control groups")
    (full,) = make_groups(node_name(launcher.folder.run("any", "any", 0)), "full", None)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            join_groups([full])
            Path(full, "pids.max").write_text("1")
            error = refusal(launcher, "true")
            code = 0 if "no process can be started" in error.message else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
