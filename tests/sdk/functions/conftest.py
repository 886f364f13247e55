"""This machine as the node of an embedded cluster, and both clients on it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corral.sdk import AsyncClient, Client
from tests.sdk.blocking import Blocking
from tests.surfaces.conftest import cli_of, private_environment


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home in which Corral runs, with this machine as its node; the environment leads nowhere else."""
    place = tmp_path_factory.mktemp("functions") / "home"
    cli = cli_of(place)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in private_environment(place).items():
            patch.setenv(name, value)
        patch.delenv("CORRAL_CONTEXT", raising=False)
        try:
            done = cli("up")
            assert done.returncode == 0, done.stderr
            yield place
        finally:
            cli("down")


@pytest.fixture(params=["synchronous", "asynchronous"])
def client(request: pytest.FixtureRequest, home: Path) -> Iterator[Any]:
    if request.param == "synchronous":
        with Client(notes=lambda _: None) as client:
            yield client
        return
    loop = asyncio.new_event_loop()
    own = AsyncClient(notes=lambda _: None)
    yield Blocking(own, loop)
    loop.run_until_complete(own.close())
    loop.close()
