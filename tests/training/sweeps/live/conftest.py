"""Both servers without an operator, and a way to play scenarios on them."""

from pathlib import Path

import pytest

from tests.training.ground import Ground, ground_of
from tests.training.sweeps.end_state import End
from tests.training.sweeps.live.live_run import LiveRun


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of each test."""
    return "asyncio"


@pytest.fixture(params=["embedded", "real"])
def bare_ground(request: pytest.FixtureRequest) -> Ground:
    """Both servers, one after the other, with no operator at work."""
    ground = ground_of(request, request.param)
    ground.stop_operator()
    return ground


@pytest.fixture(scope="session")
def clean_ends() -> dict[tuple[bool, str], End]:
    """The ends of runs without faults, of the whole session."""
    return {}


@pytest.fixture
def live(bare_ground: Ground, tmp_path: Path, clean_ends: dict[tuple[bool, str], End]) -> LiveRun:
    """Plays scenarios on a server in real time."""
    return LiveRun(bare_ground, tmp_path, clean_ends)
