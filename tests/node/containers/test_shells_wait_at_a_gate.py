"""A holder waits at its gate until it is recorded; when its starter dies before, it takes back the record and runs nothing."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from corral.engine.node.containers import gated_start, starting
from corral.engine.node.containers.ending import kill_everything
from corral.engine.node.containers.failed_starts import start_or_fail, take_back
from corral.engine.node.containers.forking import Program, fork_into
from corral.engine.node.containers.launch import Launch, Mount, StartRefusedError
from corral.engine.node.containers.record import Run, adopt, exit_path, read_ending, record_path
from corral.engine.node.machine import control_groups
from corral.engine.node.machine.control_groups import members
from corral.engine.node.machine.mounts import why_no_mounts
from corral.engine.node.machine.processes import command_line, process_table
from tests.node.containers.launching import PATIENCE, Launcher, ended, until

DYING_STARTER = """
import os, signal, sys
from corral.engine.node.containers import starting
from corral.engine.node.containers.forking import Program, fork_into
from corral.engine.node.containers.launch import Launch
write = starting.write_record
def die(run):
    if sys.argv[2] == "after":
        write(run)
    os.kill(os.getpid(), signal.SIGKILL)
starting.write_record = die
folder = sys.argv[1]
starting.start(Launch(folder, ("touch", folder + ".ran"), {"PATH": "/nowhere:/usr/bin"}, "/", folder + ".log", "u/main/0"))
"""


def those_who_name(text: str) -> list[int]:
    """Returns the processes that have a text among their words."""
    return [one.pid for one in process_table() if text.encode() in command_line(one.pid)]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_starter_that_dies_leaves_neither_record_nor_process(moment: str, tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    done = subprocess.run([sys.executable, "-c", DYING_STARTER, folder, moment], check=False)
    assert done.returncode == -9
    until(lambda: not those_who_name(folder))
    assert not Path(record_path(folder)).exists()
    assert not Path(folder + ".ran").exists()


def test_what_cannot_be_recorded_does_not_run_and_leaves_no_group(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    groups: list[str] = []

    def refuse(run: Run) -> None:
        groups.extend(run.groups)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(starting, "write_record", refuse)
    with pytest.raises(StartRefusedError, match="No space left") as refused:
        starting.start(launcher.launch("touch", str(tmp_path / "ran")))
    assert refused.value.reason == "CreateContainerError"
    assert not (tmp_path / "ran").exists()
    assert members(groups) is None


@pytest.mark.parametrize(
    ("number", "reason"),
    [(errno.EMFILE, "CreateContainerError"), (errno.EAGAIN, "CreateContainerError"), (errno.E2BIG, "StartError")],
)
def test_a_machine_without_room_does_not_blame_the_command(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "posix_spawn", refuse)
    files = len(os.listdir("/proc/self/fd"))
    with pytest.raises(StartRefusedError, match=f"(?i){os.strerror(number)[:8]}") as refused:
        starting.start(launcher.launch("true"))
    assert refused.value.reason == reason
    assert len(os.listdir("/proc/self/fd")) == files


def test_only_mounts_need_a_copy_of_the_node(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forked: list[str] = []

    def fork(prepare: Callable[[], Program], handles: tuple[int, ...]) -> int:
        forked.append("again")
        return fork_into(prepare, handles)

    monkeypatch.setattr(starting, "fork_into", fork)
    ended(starting.start(launcher.launch("true")))
    assert not forked
    if why_no_mounts():
        pytest.skip(why_no_mounts())
    ended(starting.start(launcher.launch("true", mounts=(Mount(str(tmp_path), "/mnt"),))))
    assert forked


def test_a_program_begins_inside_its_control_groups(launcher: Launcher) -> None:
    run = launcher.shell("sleep 60 & echo $! $$; exec sleep 60")
    said = until(lambda: launcher.log(run).split())
    if not run.groups:
        pytest.skip("this machine gives no control groups")
    assert members(run.groups) == {run.holder.pid, *(int(pid) for pid in said)}
    kill_everything(run, PATIENCE)
    ended(run)


def test_a_holder_that_cannot_join_its_group_runs_nothing_and_says_so(tmp_path: Path) -> None:
    door, nothing = str(tmp_path / "gone" / "tasks"), os.open(os.devnull, os.O_RDWR)
    told = os.open(exit_path(str(tmp_path)), os.O_RDWR | os.O_CREAT)
    waiting = gated_start.Waiting(
        script=starting.HOLDER,
        argv=("/bin/touch", str(tmp_path / "ran")),
        env={},
        workdir="/",
        mark="MARK=1",
        record=str(tmp_path / "record"),
        open_files=None,
        doors=(door,),
        handles=(nothing, nothing, nothing, told),
    )
    pid = gated_start.start_through_gate(waiting, lambda pid: None)
    os.waitpid(pid, 0)
    os.close(nothing)
    os.close(told)
    ending = read_ending(str(tmp_path))
    assert ending is not None
    assert (ending.exit_code, ending.message) == (128, f"cannot join the control group {door}")
    assert ending.is_refusal, "the machine was in the way, and not the command: it is tried again"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("mounts", ["without mounts", "with mounts"])
def test_a_group_that_is_gone_refuses_the_start_and_the_next_try_begins(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mounts: str
) -> None:
    """Through the gate only the holder finds it out, in a copy of the node the copy does: it is told alike."""
    if mounts == "with mounts" and why_no_mounts():
        pytest.skip(why_no_mounts())
    launch = launcher.launch(
        "touch", str(tmp_path / "ran"), mounts=(Mount(str(tmp_path), "/mnt"),) if mounts == "with mounts" else ()
    )
    gone = str(tmp_path / "gone")
    with monkeypatch.context() as patch:
        patch.setattr(control_groups, "make_groups", lambda *_: (gone,))
        refusal = refusal_of(launch)
    assert refusal.reason == "CreateContainerError"
    assert "cannot join" in refusal.message
    assert not (tmp_path / "ran").exists()
    assert adopt(launch.folder) is None, "the next try would find a run that has ended"

    assert ended(start_or_fail(launch)).exit_code == 0
    assert (tmp_path / "ran").exists()


def refusal_of(launch: Launch) -> StartRefusedError:
    """Starts a run that is refused, at once or when its holder has tried, and returns the refusal."""
    try:
        run = start_or_fail(launch)
    except StartRefusedError as refusal:
        return refusal
    assert run.holder.wait_gone(PATIENCE)
    refused = take_back(run)
    assert refused is not None
    return refused


def test_what_goes_wrong_in_a_search_is_told_as_it_is() -> None:
    def find() -> str:
        raise ValueError("odd")

    with pytest.raises(ValueError, match="odd"):
        gated_start.in_time(find)
