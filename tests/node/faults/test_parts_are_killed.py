"""Every part of `corral up` is killed again and again while a job of four ranks runs: nothing is lost, nothing is doubled.
Invariant N2.

Each rank runs exactly once from beginning to end, since processes outlive the node; a short run kills each part three times,
the full one fifty times.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from tests.node.conftest import stage_on
from tests.node.faults.patient_job import RANKS, notes_of, steps_of, submit_patient_job
from tests.node.ground import EmbeddedGround, embedded_machine, wait_until
from tests.training.stage import Stage

PARTS = ("api", "controllers", "node", "supervisor")
KILLS = 50 if os.environ.get("CORRAL_TEST_FULL") else 3
BETWEEN = (0.2, 3.0)


@pytest.fixture
def ground() -> Iterator[EmbeddedGround]:
    """A home of its own: its parts are killed."""
    with embedded_machine() as ground:
        yield ground


@pytest.fixture
def quiet_stage(ground: EmbeddedGround) -> Iterator[Stage]:
    """A namespace that goes with its server."""
    yield from stage_on(ground)


@pytest.mark.timeout(3600)
def test_killing_parts_neither_loses_nor_doubles_a_rank(
    ground: EmbeddedGround, quiet_stage: Stage, tmp_path: Path
) -> None:
    chance = random.Random(5)
    kills = [part for part in PARTS for _ in range(KILLS)]
    chance.shuffle(kills)
    seconds = len(kills) * sum(BETWEEN) / 2
    job = submit_patient_job(quiet_stage, tmp_path / "job", seconds)
    wait_until(lambda: len(steps_of(tmp_path / "job")) == RANKS, "all ranks have begun")
    for part in kills:
        pause(chance.uniform(*BETWEEN))
        kill(ground, part)
    job.wait_states("Created", "Running=False", "Succeeded", within=seconds + 120)
    assert notes_of(tmp_path / "job") == {str(rank): ["begun", "done"] for rank in range(RANKS)}


def kill(ground: EmbeddedGround, part: str) -> None:
    if part == "supervisor":
        ground.kill_supervisor()
        ground.up()
    else:
        ground.kill(part)


def pause(seconds: float) -> None:
    """Lets a random moment of the job's life pass: the wait is the fault's own, not for a condition."""
    Event().wait(seconds)
