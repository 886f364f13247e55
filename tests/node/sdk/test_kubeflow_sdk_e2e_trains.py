"""The e2e tests that the `kubeflow-training` wheel ships, run as they are, pass with pods that are real processes.

| what | how |
|---|---|
| the tests | the files of the installed wheel, in an environment of their own, one after the other |
| the pods | processes of this machine, on the embedded server and on a real control plane |
| the images | mapped to examples of ours: `wheel_images.py` |
| left out | gang scheduling, which the wheel itself skips without a gang scheduler |
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from corral.engine.node.machine.capacity import processor_count
from tests.examples.catalogue import reason_not_to_run
from tests.node.ground import MachineGround, RealGround
from tests.node.sdk.wheel_images import FILES, File
from tests.training.sdk.sdk_environment import PytestInside, sdk_python, wheel_tests
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

# The first run of a framework installs it, and torch alone is some gigabytes.
pytestmark = pytest.mark.timeout(3600)
LIMIT = 900.0
"""As long as the wheel itself is willing to wait for a job, in seconds."""


@pytest.fixture(scope="session")
def python() -> Path:
    """The interpreter that has the SDK."""
    return sdk_python()


@pytest.fixture(params=FILES, ids=str)
def file(request: pytest.FixtureRequest) -> File:
    """A file of the wheel whose framework is used here; others are skipped before anything is started for them."""
    file: File = request.param
    if reason := reason_not_to_run(file.rung):
        pytest.skip(reason)
    return file


@pytest.fixture
def mapped(file: File, machine: MachineGround) -> Iterator[list[MachineGround]]:
    """The nodes that know the images of the file: a second one where a scheduler would not find room on the first."""
    with ExitStack() as stack:
        nodes = [machine]
        if isinstance(machine, RealGround) and file.processors > processor_count():
            nodes.append(stack.enter_context(machine.another("second")))
        for node in nodes:
            file.map_images(node)
        yield nodes


def test_every_file_of_the_wheel_is_known(python: Path) -> None:
    assert sorted(each.name for each in wheel_tests(python).glob("test_*.py")) == sorted(file.name for file in FILES)


def test_the_e2e_tests_in_the_wheel_pass(
    file: File, mapped: list[MachineGround], stage: Stage, python: Path, tmp_path: Path
) -> None:
    folder = wheel_tests(python)
    words = ["--namespace", stage.namespace, "--confcutdir", str(folder.parent), "-k", "not gang_scheduling"]
    run = PytestInside(python, folder / file.name, tmp_path, words, mapped[0].kubeconfig)
    try:
        found = run.outcomes(LIMIT)
    finally:
        run.end()
    # The wheel deletes its jobs; what they said is kept.
    folders = [node.folder / "logs" / stage.namespace for node in mapped]
    logs = [path.read_text() for folder in folders for path in folder.rglob("*.log")]
    assert found == dict.fromkeys(file.tests, "passed"), "\n".join((*found.values(), *logs))
    assert any(file.says in log for log in logs), "\n".join(logs)
