"""Where examples run: this machine as the node of the embedded API, and environments with the frameworks they need."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples.catalogue import Example, reason_not_to_run
from tests.examples.trial import Trial
from tests.node.conftest import stage_on
from tests.node.ground import EmbeddedGround, embedded_machine
from tests.training.stage import Stage
from tools import frameworks


@pytest.fixture(scope="session")
def ground() -> Iterator[EmbeddedGround]:
    """One `corral up` for all examples."""
    with embedded_machine() as ground:
        yield ground


@pytest.fixture
def stage(ground: EmbeddedGround) -> Iterator[Stage]:
    """A namespace of the test's own."""
    yield from stage_on(ground)


@pytest.fixture
def environment(example: Example) -> Path:
    """The environment of the example's framework; an example that does not run here is skipped before it is made."""
    reason = reason_not_to_run(example.rung) or frameworks.missing(example.framework)
    if reason:
        pytest.skip(reason)
    return frameworks.make(example.framework)


@pytest.fixture
def trial(environment: Path, ground: EmbeddedGround, stage: Stage, example: Example) -> Trial:
    """The example, applied."""
    trial = Trial(ground, stage, example)
    trial.begin(environment)
    return trial
