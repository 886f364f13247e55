"""A leader is frozen, another takes over, the first wakes up: F02, and F03 as far as two believe that they lead.

Guards T2 (no doubled pod), T4 (failures count once) and C8 (a lease is for efficiency, versions are for safety).
"""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from corral.kinds.well_known import POD
from tests.training.ground import Ground
from tests.training.operator_process import OperatorProcess
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def operators(ground: Ground, tmp_path: Path) -> Iterator[tuple[OperatorProcess, OperatorProcess]]:
    """Two operators; the first leads."""
    ground.stop_operator()
    with ExitStack() as running:
        first, second = (
            OperatorProcess(ground.kubeconfig, tmp_path / f"{name}.log", ("--leader-elect",)) for name in "ab"
        )
        running.enter_context(first)
        running.callback(os.kill, first.pid, signal.SIGCONT)
        yield first, running.enter_context(second)


def leads(operator: OperatorProcess) -> bool:
    return "corral_operator_is_leader 1\n" in operator.measurements()


def test_a_leader_that_wakes_up_late_changes_nothing(
    operators: tuple[OperatorProcess, OperatorProcess], stage: Stage
) -> None:
    first, second = operators
    stage.wait(lambda: leads(first))
    job = stage.submit("TFJob", "job", {"Worker": 3}, run_policy={"backoffLimit": 5})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    job.run()
    job.wait_states("Created", "Running")
    os.kill(first.pid, signal.SIGSTOP)
    job.scale("Worker", 2)
    stage.submit("TFJob", "other", {"Worker": 2})
    stage.wait(lambda: leads(second))
    left = ["job-worker-0", "job-worker-1", "other-worker-0", "other-worker-1"]
    stage.wait(lambda: stage.names(POD), left.__eq__)
    before = {pod["metadata"]["uid"]: pod["metadata"]["name"] for pod in stage.all(POD)}
    os.kill(first.pid, signal.SIGCONT)
    stage.wait(lambda: not leads(first))
    job.wait_states("Created", "Running")
    stage.stays(lambda: {pod["metadata"]["uid"]: pod["metadata"]["name"] for pod in stage.all(POD)}, before.__eq__)
    assert leads(second)
