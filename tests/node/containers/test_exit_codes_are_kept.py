"""What a container ends with is known afterwards, whoever asks and however it ended. Invariant N3."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from corral.engine.node.containers.ending import ending_of, is_born, processes_of, signal_program
from corral.engine.node.containers.record import adopt
from corral.engine.node.containers.starting import start
from corral.engine.node.folder import NodeFolder
from corral.engine.node.machine import system_calls
from corral.engine.node.machine.mounts import needs_user_namespace, why_no_mounts
from tests.node.containers.launching import PATIENCE, Launcher, ended, until


@pytest.mark.parametrize("code", [0, 1, 7, 128, 255])
def test_the_exit_code_of_the_program_is_kept(launcher: Launcher, code: int) -> None:
    run = launcher.shell(f"exit {code}")

    assert ended(run).exit_code == code


@pytest.mark.parametrize("name", ["KILL", "TERM", "SEGV", "ABRT", "INT"])
def test_a_signal_counts_as_128_and_its_number(launcher: Launcher, name: str) -> None:
    run = launcher.shell(f"kill -{name} $$")

    assert ended(run).exit_code == 128 + getattr(signal, f"SIG{name}")


def test_the_time_of_the_end_is_that_of_the_exit(launcher: Launcher) -> None:
    run = launcher.shell("exit 0")

    ending = ended(run)

    assert 0 <= ending.finished_at - run.started_at + 0.05 < 20
    assert ending_of(run) == ending


def test_both_outputs_are_in_the_log_and_no_remark_of_the_shell(launcher: Launcher) -> None:
    run = launcher.shell("echo out; echo err >&2; kill -KILL $$")

    ended(run)

    assert launcher.log(run) == "out\nerr\n"


def test_a_polite_signal_reaches_the_program_and_leaves_the_witness(launcher: Launcher) -> None:
    run = launcher.shell("trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.01; done")
    until(lambda: "ready" in launcher.log(run))

    assert signal_program(run, signal.SIGTERM, PATIENCE)

    assert ended(run).exit_code == 3
    assert launcher.log(run) == "ready\nasked\n"


def test_a_signal_right_after_the_start_is_not_lost(launcher: Launcher) -> None:
    """Until the shell's child has become the program, it has the handlers of the shell."""
    runs = [start(launcher.launch("sleep", "1000")) for _ in range(20)]

    assert all(signal_program(run, signal.SIGTERM, PATIENCE) for run in runs)

    assert {ended(run).exit_code for run in runs} == {143}


def test_who_must_not_wait_asks_whether_the_program_is_there(launcher: Launcher) -> None:
    runs = [start(launcher.launch("sleep", "1000")) for _ in range(5)]

    for run in runs:
        until(partial(is_born, run))
        assert signal_program(run, signal.SIGTERM, patience=0.0)

    assert {ended(run).exit_code for run in runs} == {143}
    assert all(is_born(run) for run in runs), "what is over is not waited for"


def test_a_program_that_signals_its_whole_group_does_not_silence_the_witness(launcher: Launcher) -> None:
    run = launcher.shell("kill -TERM 0; sleep 1000")

    assert ended(run).exit_code == 143


def test_a_holder_that_vanished_counts_as_killed_and_takes_its_program_along(launcher: Launcher) -> None:
    run = launcher.shell("echo ready; sleep 1000")
    until(lambda: "ready" in launcher.log(run))

    os.kill(run.holder.pid, signal.SIGKILL)
    os.waitpid(run.holder.pid, 0)

    first = ended(run)
    assert first.exit_code == 137
    assert not processes_of(run)
    assert ending_of(run) == first, "the end does not move when it is looked at again"


def test_nothing_left_to_signal_is_told(launcher: Launcher) -> None:
    run = launcher.shell("exit 0")
    ended(run)

    assert not signal_program(run, signal.SIGTERM, PATIENCE)


def test_a_second_start_in_the_same_folder_returns_the_first_run(launcher: Launcher) -> None:
    launch = launcher.launch("sh", "-c", "echo once; sleep 1000")
    run = start(launch)
    until(lambda: launcher.log(run))

    assert start(launch) == run == adopt(launch.folder)
    assert launcher.log(run) == "once\n"


def test_variables_arrive_even_those_that_shells_drop(launcher: Launcher) -> None:
    odd = {"my.name": "a b\nc", "UID": "77", "IFS": ",", "empty": "", "with-dash": "ü"}
    run = start(launcher.launch("env", "-0", env=odd))

    ended(run)

    seen = dict(entry.split("=", 1) for entry in launcher.log(run).split("\0") if entry)
    assert {name: seen.get(name) for name in odd} == odd
    assert seen["CORRAL_CONTAINER"] == run.owner


def test_programs_find_nothing_to_read_and_no_files_of_ours(launcher: Launcher) -> None:
    with open(os.devnull) as ours:
        os.set_inheritable(ours.fileno(), True)
        run = start(launcher.launch("ls", "-l", "/proc/self/fd"))
        ended(run)

    lines = [line for line in launcher.log(run).splitlines() if " -> " in line]
    assert [line.rpartition(" -> ")[0].split()[-1] for line in lines] == ["0", "1", "2", "3"], lines
    assert lines[0].endswith("/dev/null")
    assert "/proc/" in lines[3], "the listing itself"


def test_ignored_signals_of_the_node_are_not_ignored_by_programs(launcher: Launcher) -> None:
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        run = launcher.shell("grep -E '^Sig(Ign|Blk)' /proc/self/status")
    finally:
        signal.signal(signal.SIGHUP, former)

    ended(run)

    # The C library keeps two signals to itself, which no program can set; some starters leave them ignored.
    settable = sum(1 << (number - 1) for number in signal.valid_signals())
    masks = [int(line.split()[1], 16) & settable for line in launcher.log(run).splitlines()]
    assert masks == [0, 0]


def test_a_full_disk_hides_no_exit_code(tmp_path: Path) -> None:
    if why_no_mounts():
        pytest.skip(why_no_mounts())
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = _exit_codes_on_a_full_disk(tmp_path)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0


def _exit_codes_on_a_full_disk(tmp_path: Path) -> int:
    """Runs in a process of its own, whose small disk nobody else sees."""
    trial_user = needs_user_namespace()
    system_calls.unshare(system_calls.CLONE_NEWNS | (system_calls.CLONE_NEWUSER if trial_user else 0))
    system_calls.mount("", "/", "", system_calls.MS_REC | system_calls.MS_PRIVATE)
    system_calls.mount("tmpfs", str(tmp_path), "tmpfs", 0, "size=256k")
    launcher = Launcher(NodeFolder(str(tmp_path / "node")))
    script = "dd if=/dev/zero of=fill bs=4k; echo full; echo ready > /dev/null; "
    exited = launcher.shell(script + "exit 9", workdir=str(tmp_path))
    if ended(exited).exit_code != 9:
        return 2
    os.truncate(tmp_path / "fill", 0)
    vanished = launcher.shell(script + "sleep 1000", workdir=str(tmp_path))
    until(lambda: os.stat(tmp_path / "fill").st_size > 100_000 and is_full(tmp_path))
    vanished.holder.send(signal.SIGKILL)
    return 0 if ended(vanished).exit_code == 137 else 3


def is_full(folder: Path) -> bool:
    return os.statvfs(folder).f_bavail == 0
