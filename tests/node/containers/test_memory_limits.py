"""A container that uses more memory than it may is ended, with the figures; one that was merely killed is not accused."""

import asyncio
import os
import sys

import pytest

from corral.engine.node.containers.ending import kill_everything
from corral.engine.node.containers.launch import Limits
from corral.engine.node.containers.memory_limits import oom_evidence
from corral.engine.node.containers.memory_watchdog import (
    LATE,
    SOON,
    USUAL,
    MemoryWatchdog,
    needs_watching,
    next_look,
    used_bytes,
)
from corral.engine.node.containers.record import Run
from corral.engine.node.containers.starting import start
from corral.engine.node.machine.control_groups import hierarchies, is_limited
from tests.node.containers.launching import PATIENCE, Launcher, ended, until

MIB = 2**20
GREEDY = """
import time
held = []
print("begin", flush=True)
while True:
    held.append(bytearray(b"x") * (1 << 20))
    time.sleep(0.001)
"""
MODEST = """
import time
held = bytearray(b"x") * (40 << 20)
print("begin", flush=True)
time.sleep(1000)
"""


def python(launcher: Launcher, script: str, limit: int) -> Run:
    return start(launcher.launch(sys.executable, "-S", "-c", script, limits=Limits(memory_bytes=limit)))


def unlimited(run: Run) -> Run:
    """Returns a run as it would be on a machine without control groups for memory."""
    return run._replace(groups=run.groups[:1])


def test_the_kernel_ends_a_container_above_its_limit(launcher: Launcher) -> None:
    if not hierarchies().memory:
        pytest.skip("this machine gives no control groups for memory")
    run = python(launcher, GREEDY, 60 * MIB)
    assert is_limited(run.groups)
    assert not needs_watching(run)

    assert ended(run).exit_code == 137

    evidence = oom_evidence(run)
    assert "limit of 60.0 MiB" in evidence
    assert "killed a process" in evidence
    assert not any(os.path.exists(group) for group in run.groups), "the evidence outlives the groups"


def test_a_killed_container_below_its_limit_has_no_evidence(launcher: Launcher) -> None:
    run = python(launcher, MODEST, 400 * MIB)
    until(lambda: "begin" in launcher.log(run))

    kill_everything(run, PATIENCE)

    assert ended(run).exit_code == 137
    assert oom_evidence(run) == ""


async def watched(run: Run) -> list[Run]:
    killed: list[Run] = []
    done = asyncio.Event()

    def note(run: Run) -> None:
        killed.append(run)
        done.set()

    watchdog = MemoryWatchdog(note)
    watchdog.watch(run)
    await asyncio.wait_for(done.wait(), PATIENCE)
    watchdog.close()
    return killed


def test_the_watchdog_ends_a_container_above_its_limit(launcher: Launcher) -> None:
    run = unlimited(start(launcher.launch(sys.executable, "-S", "-c", GREEDY)))._replace(memory_bytes=60 * MIB)
    assert needs_watching(run)

    assert asyncio.run(watched(run)) == [run]

    assert ended(run).exit_code == 137
    assert "limit of 60.0 MiB" in oom_evidence(run)
    assert "ended for that" in oom_evidence(run)


def test_starts_of_others_do_not_put_a_look_off(launcher: Launcher) -> None:
    fat = unlimited(launcher.shell("sleep 1000"))._replace(memory_bytes=1)
    others = unlimited(launcher.shell("sleep 1000"))._replace(memory_bytes=2**40)

    assert asyncio.run(_killed_among_starts(fat, others)) == [fat]


async def _killed_among_starts(fat: Run, others: Run) -> list[Run]:
    killed: list[Run] = []
    watchdog = MemoryWatchdog(killed.append)
    watchdog.watch(fat)
    deadline = asyncio.get_running_loop().time() + 3 * USUAL
    while not killed and asyncio.get_running_loop().time() < deadline:
        watchdog.watch(others)
        await asyncio.sleep(0.05)
    watchdog.close()
    return killed


def test_memory_is_measured_over_all_processes_and_shared_pages_once(launcher: Launcher) -> None:
    script = f"{sys.executable} -S -c '{MODEST}' & {sys.executable} -S -c '{MODEST}' & wait"
    run = launcher.shell(script)
    until(lambda: launcher.log(run).count("begin") == 2)

    exact, quick = used_bytes(run), used_bytes(run, enough=2**60)

    assert 80 * MIB < exact <= quick < 200 * MIB


def test_one_look_at_the_processes_serves_all_runs(launcher: Launcher) -> None:
    runs = [launcher.shell("sleep 1000")._replace(groups=(), memory_bytes=2**40) for _ in range(3)]
    listings: list[str] = []
    # A hook of this kind stays for good; it is deaf afterwards.
    is_listening = True
    sys.addaudithook(lambda event, args: listings.append(event) if is_listening and args == ("/proc",) else None)

    asyncio.run(_looked_at(runs, listings))

    is_listening = False
    assert listings == ["os.listdir"]


async def _looked_at(runs: list[Run], listings: list[str]) -> None:
    watchdog = MemoryWatchdog(lambda run: None)
    for run in runs:
        watchdog.watch(run)
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not listings:
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.01)
    watchdog.close()


def test_runs_without_a_limit_need_no_watching(launcher: Launcher) -> None:
    assert not needs_watching(launcher.shell("sleep 1000"))


def test_looks_are_rarer_far_from_the_limit() -> None:
    assert [next_look(share) for share in (0.0, 0.5, 0.9)] == [LATE, USUAL, SOON]
