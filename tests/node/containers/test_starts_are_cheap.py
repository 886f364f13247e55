"""Two hundred pods are started in seconds, and nothing of a start stays in the node."""

import os
import time

from corral.engine.node.containers.ending import ending_of
from corral.engine.node.containers.starting import start
from corral.engine.node.machine.processes import is_unreaped
from tests.node.containers.launching import PATIENCE, Launcher

STARTS = 100
MOST_FORKS = 12
"""What one start may cost this process at most, in bare forks, which are slow when the machine is."""


def cost_of_a_fork() -> float:
    before = time.process_time()
    for _ in range(STARTS):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
    return (time.process_time() - before) / STARTS


def test_many_starts_leave_no_file_open_and_cost_little(launcher: Launcher) -> None:
    launches = [launcher.launch("true") for _ in range(STARTS)]
    start(launcher.launch("true"))
    fork = cost_of_a_fork()
    files, before = len(os.listdir("/proc/self/fd")), time.process_time()

    runs = [start(launch) for launch in launches]

    spent = (time.process_time() - before) / STARTS
    assert len(os.listdir("/proc/self/fd")) == files
    assert spent < MOST_FORKS * fork, (
        f"{spent * 1000:.1f} ms of processor time for a start, {fork * 1000:.1f} for a fork"
    )
    for run in runs:
        assert run.holder.wait_gone(PATIENCE)
        ending = ending_of(run)
        assert ending is not None
        assert ending.exit_code == 0
        assert not is_unreaped(run.holder)
    assert len(os.listdir("/proc/self/fd")) == files
