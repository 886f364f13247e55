"""The gang tests that the `kubeflow-training` wheel ships, run as they are, pass with our scheduler in the place of others.

| what | how |
|---|---|
| the tests | `test_sdk_e2e_with_gang_scheduling` of every kind: a job that asks for ten pods and has two must not start, one that asks for two must |
| the gangs | PodGroups of Volcano and of scheduler-plugins, announced by `corral operator` |
| the scheduler | `corral scheduler`, which serves the names of both |
| the pods | a hollow node plays those that were bound to it |
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.testing.hollow_node import Part, Script, hollow_node_thread
from tests.scheduling.cluster import SchedulerProcess
from tests.training.ground import Ground
from tests.training.marks import started_with
from tests.training.sdk.sdk_environment import PytestInside, sdk_python, wheel_tests
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

GANG = "test_sdk_e2e_with_gang_scheduling"
NAMES = ("volcano", "scheduler-plugins-scheduler")
SCRIPT = Script(
    parts=(("mpijob-*-worker-*", Part(seconds=None)), ("*", Part(seconds=1.0))),
    binds=False,
)
LIMIT = 200.0


@pytest.fixture(scope="session")
def python() -> Path:
    """The interpreter that has the SDK."""
    return sdk_python()


@pytest.fixture
def scheduled(ground: Ground, stage: Stage, tmp_path: Path) -> Iterator[None]:
    """A node for the pods of the test's namespace, and who binds them to it."""
    names = [word for name in NAMES for word in ("--name", name)]
    options = (*names, "--namespace", stage.namespace, "--no-leader-elect")
    scheduler = SchedulerProcess(ground.kubeconfig, tmp_path / "scheduler.log", options)
    with (
        hollow_node_thread(ground.access, SCRIPT, name=f"hollow-{stage.namespace}", namespace=stage.namespace),
        scheduler,
    ):
        yield
    print((tmp_path / "scheduler.log").read_text()[-4000:])


def run_gang_tests(gangs: str, ground: Ground, stage: Stage, python: Path, folder: Path) -> None:
    words = ["--namespace", stage.namespace, "-k", "gang_scheduling"]
    tests = wheel_tests(python)
    words += ["--confcutdir", str(tests.parent)]
    files = sorted(each.name for each in tests.glob("test_*.py"))
    runs = {name: PytestInside(python, tests / name, folder, words, ground.kubeconfig, gangs=gangs) for name in files}
    try:
        found = {name: run.outcomes(LIMIT) for name, run in runs.items()}
    finally:
        for run in runs.values():
            run.end()
    assert len(found) >= 6
    assert found == {name: {GANG: "passed"} for name in files}


@pytest.mark.usefixtures("scheduled")
@pytest.mark.timeout(400)
@started_with("--gang-scheduler-name", "volcano")
def test_gangs_of_volcano_start_whole(ground: Ground, stage: Stage, python: Path, tmp_path: Path) -> None:
    run_gang_tests("volcano", ground, stage, python, tmp_path)


@pytest.mark.usefixtures("scheduled")
@pytest.mark.timeout(400)
@started_with("--gang-scheduler-name", "scheduler-plugins-scheduler")
def test_gangs_of_scheduler_plugins_start_whole(ground: Ground, stage: Stage, python: Path, tmp_path: Path) -> None:
    run_gang_tests("scheduler-plugins", ground, stage, python, tmp_path)
