"""Every manifest of examples/01-training-jobs is taken as it is by both servers, and gets its pods."""

from pathlib import Path

import pytest

from corral.kinds.documents import load_document
from corral.kinds.well_known import POD
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

FOLDER = Path(__file__).parents[2] / "examples/01-training-jobs"
PODS = {
    "jax": 2,
    "mpi": 3,
    "mpi-over-ssh": 2,  # its launcher waits until the workers are ready
    "mxnet": 4,
    "paddle": 2,
    "pytorch": 3,
    "pytorch-elastic": 2,
    "tensorflow": 4,
    "xgboost": 3,
}


def test_every_example_is_listed_here() -> None:
    assert sorted(PODS) == sorted(path.stem for path in FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("name", PODS)
def test_an_example_gets_its_pods(stage: Stage, name: str) -> None:
    stage.send(load_document((FOLDER / f"{name}.yaml").read_text()))
    stage.wait(lambda: stage.names(POD), lambda names: len(names) == PODS[name])
    assert stage.warnings == []
