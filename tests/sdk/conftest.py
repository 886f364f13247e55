"""An embedded cluster with a hollow node, and both clients on it; the environment leads nowhere else."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corral.sdk import AsyncClient, Client
from tests.sdk.blocking import Blocking
from tests.surfaces.conftest import private_environment
from tests.surfaces.hollow_stage import HollowStage, hollow_stage


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("sdk") / "home") as made:
        yield made


@pytest.fixture
def home(stage: HollowStage, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lets clients of this process find the stage, and nothing of the user's."""
    for name in ("CORRAL_CONTEXT", "KUBECONFIG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in private_environment(stage.home).items():
        monkeypatch.setenv(name, value)
    return stage.home


@pytest.fixture
def notes() -> list[str]:
    """What clients remark."""
    return []


@pytest.fixture(params=["synchronous", "asynchronous"])
def client(request: pytest.FixtureRequest, home: Path, notes: list[str]) -> Iterator[Any]:
    """Both clients, one after the other, used in the same way."""
    if request.param == "synchronous":
        with Client(notes=notes.append) as client:
            yield client
        return
    loop = asyncio.new_event_loop()
    own = AsyncClient(notes=notes.append)
    yield Blocking(own, loop)
    loop.run_until_complete(own.close())
    loop.close()
