"""The e2e tests that the `kubeflow-training` wheel ships, run as they are, pass against Corral.

| what | how |
|---|---|
| the tests | the files of the installed wheel, in an environment of their own, all kinds at once |
| the operator | `corral operator` as a process |
| the pods | a hollow node binds them and writes their phases |
| left out | gang scheduling, which the wheel itself skips without a gang scheduler |
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.testing.hollow_node import Part, Script, hollow_node_thread
from tests.training.ground import Ground
from tests.training.sdk.sdk_environment import INSIDE, PytestInside, sdk_python, wheel_tests
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

PLAIN = "test_sdk_e2e"
SHIPPED = {
    "test_e2e_jaxjob.py": {PLAIN},
    "test_e2e_mpijob.py": {PLAIN},
    "test_e2e_paddlejob.py": {PLAIN},
    "test_e2e_pytorchjob.py": {
        PLAIN,
        f"{PLAIN}_managed_by",
        f"{PLAIN}_create_from_func",
        f"{PLAIN}_create_from_image",
    },
    "test_e2e_tfjob.py": {PLAIN},
    "test_e2e_xgboostjob.py": {PLAIN},
}
"""Every test of the wheel that needs no gang scheduler."""
SCRIPT = Script(parts=(("mpijob-*-worker-*", Part(seconds=None)), ("*", Part(seconds=1.0))))
"""Workers of MPI run a server for the launcher, which ends only with the job; everything else trains for a second."""
LIMIT = 110.0


@pytest.fixture(scope="session")
def python() -> Path:
    """The interpreter that has the SDK."""
    return sdk_python()


@pytest.fixture
def playing(ground: Ground, stage: Stage) -> Iterator[None]:
    """A node for the pods of the test's namespace."""
    name = f"hollow-{stage.namespace}"
    with hollow_node_thread(ground.access, SCRIPT, name=name, namespace=stage.namespace):
        yield


@pytest.mark.usefixtures("playing")
def test_the_e2e_tests_in_the_wheel_pass(ground: Ground, stage: Stage, python: Path, tmp_path: Path) -> None:
    folder = wheel_tests(python)
    words = ["--namespace", stage.namespace, "--confcutdir", str(folder.parent), "-k", "not gang_scheduling"]
    assert sorted(each.name for each in folder.glob("test_*.py")) == sorted(SHIPPED)
    runs = {name: PytestInside(python, folder / name, tmp_path, words, ground.kubeconfig) for name in SHIPPED}
    try:
        found = {name: run.outcomes(LIMIT) for name, run in runs.items()}
    finally:
        for run in runs.values():
            run.end()
    assert found == {name: dict.fromkeys(tests, "passed") for name, tests in SHIPPED.items()}


@pytest.mark.usefixtures("playing")
def test_the_calls_of_the_sdk_work(ground: Ground, stage: Stage, python: Path, tmp_path: Path) -> None:
    """What each call must do is in `inside/sdk_calls.py`."""
    words = ["--namespace", stage.namespace, "--confcutdir", str(INSIDE)]
    run = PytestInside(python, INSIDE / "sdk_calls.py", tmp_path, words, ground.kubeconfig)
    try:
        found = run.outcomes(LIMIT)
    finally:
        run.end()
    assert len(found) >= 6, run.output
    assert set(found.values()) == {"passed"}, "\n".join(f"{name}: {outcome}" for name, outcome in found.items())
