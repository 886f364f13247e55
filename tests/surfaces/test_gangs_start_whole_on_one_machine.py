"""`submit --gang` on one machine: all pods of a job get their places together, or none does, and `why` tells."""

import json
from collections.abc import Iterator

import pytest

from tests.surfaces.conftest import Cli, cli_of
from tests.surfaces.hollow_stage import until

LINE = ("submit", "pytorchjob", "--gang", "--gpus", "8", "--image", "none", "--name")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """Two nodes with eight GPUs each."""
    cli = cli_of(tmp_path_factory.mktemp("fleet") / "a home")
    try:
        assert cli("up", "--no-node", "--fake-nodes", "2x8:V100").returncode == 0
        yield cli
    finally:
        cli("down")


def places(cli: Cli, job: str) -> list[str]:
    """Returns the nodes of the pods that have one."""
    lines = [line.split() for line in cli("get", job).stdout.splitlines() if line.startswith(f"  {job}-")]
    return [word for line in lines for word in line if word.startswith("fake-v100-")]


def test_a_gang_for_which_there_is_no_room_takes_no_place_and_why_tells(fleet: Cli) -> None:
    done = fleet(*LINE, "large", "--workers", "3", "python train.py")
    assert done.returncode == 0, done.stderr
    until(lambda: "at once" in fleet("events", "large").stdout, "the word of the scheduler")
    assert "of 3 ready" in fleet("get", "large").stdout
    assert places(fleet, "large") == []
    told = json.loads(fleet("why", "large", "-o", "json").stdout)
    assert "all 3 pods" in told["sentence"]
    assert (told["numbers"]["together"], told["numbers"]["pods"]) == (3, 3)
    assert fleet("delete", "large", "--yes").returncode == 0


def test_a_scheduler_that_is_not_there_is_named(fleet: Cli) -> None:
    done = fleet(
        "submit", "pytorchjob", "--scheduler", "nosuch", "--image", "none", "--name", "other", "python train.py"
    )
    assert done.returncode == 0, done.stderr
    until(lambda: '"pods"' in fleet("why", "other", "-o", "json").stdout, "the pod of the job")
    told = fleet("why", "other").stdout
    assert told.splitlines()[0] == (
        "other is PENDING: its only pod waits for nosuch, and on one machine there is no scheduler of that name"
    )
    assert "submit the job again without naming a scheduler" in told
    assert fleet("delete", "other", "--yes").returncode == 0


def test_a_gang_for_which_there_is_room_is_placed_whole(fleet: Cli) -> None:
    assert fleet(*LINE, "fits", "--workers", "2", "python train.py").returncode == 0
    until(lambda: len(set(places(fleet, "fits"))) == 2, "the places of both pods")
