"""One server for a whole module of sweeps, on a disk that costs nothing to wait for, and the end of a clean run."""

import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.training.sweeps.end_state import End
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.rehearsal import Rehearsal
from tests.training.sweeps.scenarios import Scenario
from tests.training.sweeps.troubled_store import Trouble

Clean = Callable[[Scenario], Awaitable[End]]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """The event loop of the module; the server lives in it."""
    return "asyncio"


@pytest.fixture(scope="module")
async def api(anyio_backend: str) -> AsyncIterator[InProcessApi]:
    """A server that the tests of one module share."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        api = await InProcessApi.started(Path(folder))
        yield api
        await api.close()


@pytest.fixture(scope="module")
def clean(api: InProcessApi) -> Clean:
    """Plays a scenario without any trouble, once."""
    ends: dict[str, End] = {}

    async def clean(scenario: Scenario) -> End:
        if scenario.name not in ends:
            ends[scenario.name] = await Rehearsal(api, scenario, lambda _: Trouble()).run()
        return ends[scenario.name]

    return clean
