"""The end of a container wakes the event loop, once, whether or not the container is a child of this process."""

import asyncio
import os
import signal

from corral.engine.node.containers.record import Run
from corral.engine.node.containers.starting import start
from corral.engine.node.containers.watching import EndWatch
from corral.engine.node.machine.processes import reap
from corral.engine.supervisor.host import ProcessIdentity, identity
from tests.node.containers.launching import PATIENCE, Launcher
from tests.node.containers.test_a_run_outlives_the_node import started_elsewhere


async def told(process: ProcessIdentity) -> EndWatch:
    """Waits until a watch calls back, and a little longer for a second call."""
    calls = 0
    done = asyncio.Event()

    def ended() -> None:
        nonlocal calls
        calls += 1
        done.set()

    watch = EndWatch(process, ended)
    await asyncio.wait_for(done.wait(), PATIENCE)
    for _ in range(3):
        await asyncio.sleep(0)
    assert calls == 1
    return watch


def test_a_child_is_reaped_and_its_exit_code_known(launcher: Launcher) -> None:
    run = launcher.shell("exit 5")

    assert asyncio.run(told(run.holder)).exit_code == 5
    assert not os.path.exists(f"/proc/{run.holder.pid}")


def test_a_child_that_was_killed_has_the_code_of_its_signal(launcher: Launcher) -> None:
    run = launcher.shell("sleep 1000")
    run.holder.send(signal.SIGKILL)

    assert asyncio.run(told(run.holder)).exit_code == 137


def test_the_end_of_a_process_of_others_is_told(launcher: Launcher) -> None:
    run = started_elsewhere(launcher, "sleep 1000")
    run.holder.send(signal.SIGKILL)

    assert asyncio.run(told(run.holder)).exit_code is None


def test_a_process_that_ended_long_ago_is_told_at_once(launcher: Launcher) -> None:
    run = launcher.shell("exit 0")
    assert run.holder.wait_gone(PATIENCE)
    os.waitpid(run.holder.pid, 0)

    asyncio.run(told(run.holder))
    asyncio.run(told(ProcessIdentity(0, "")))


def test_a_pid_with_a_new_owner_counts_as_ended() -> None:
    ours = identity(os.getpid())

    asyncio.run(told(ProcessIdentity(ours.pid, ours.start + "1")))


def test_the_exit_code_of_a_child_is_not_taken_by_who_had_its_pid_before(launcher: Launcher) -> None:
    run = launcher.shell("exit 5")
    assert run.holder.wait_gone(PATIENCE)

    asyncio.run(told(ProcessIdentity(run.holder.pid, run.holder.start + "1")))

    assert reap(run.holder) == 5
    assert reap(run.holder) is None


def test_an_end_that_nobody_could_take_is_told_again(launcher: Launcher) -> None:
    run = launcher.shell("exit 5")

    assert asyncio.run(_told_to_one_who_fails_first(run)) == (["failed", "taken"], 5, ["no room"])


async def _told_to_one_who_fails_first(run: Run) -> tuple[list[str], int | None, list[str]]:
    calls: list[str] = []
    reported: list[str] = []
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, report: reported.append(str(report["exception"])))

    def ended() -> None:
        watch.close()
        if not calls:
            calls.append("failed")
            raise OSError("no room")
        calls.append("taken")
        done.set()

    watch = EndWatch(run.holder, ended)
    await asyncio.wait_for(done.wait(), PATIENCE)
    return calls, watch.exit_code, reported


def test_a_closed_watch_says_nothing_and_leaves_no_file_open(launcher: Launcher) -> None:
    run = start(launcher.launch("sleep", "1000"))
    asyncio.run(_close_before_the_end(run))


async def _close_before_the_end(run: Run) -> None:
    before = len(os.listdir("/proc/self/fd"))
    calls: list[str] = []
    watch = EndWatch(run.holder, lambda: calls.append("ended"))
    watch.close()
    watch.close()
    run.holder.send(signal.SIGKILL)
    assert run.holder.wait_gone(PATIENCE)
    await asyncio.sleep(0)
    assert calls == []
    assert len(os.listdir("/proc/self/fd")) == before
