import os
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from corral.adapters.kubelet_api.admission import Admission
from corral.adapters.kubelet_api.certificate import kept_certificate
from corral.adapters.kubelet_api.server import KubeletServer
from corral.adapters.system.clock import SystemClock
from corral.engine.node.containers.clearing import end_all
from corral.engine.node.endpoint.doors import NodeDoors
from corral.testing.waiting import eventually
from tests.node.endpoint.one_container import TOKEN, Client, OneContainer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def household(tmp_path: Path) -> AsyncIterator[OneContainer]:
    household = OneContainer(tmp_path / "node")
    await eventually(lambda: os.stat(household.log_of_run.path).st_size == len("begun\n"))
    yield household
    end_all(household.folder, 0.0)


@pytest.fixture
async def server(household: OneContainer) -> AsyncIterator[KubeletServer]:
    certificate = kept_certificate(household.folder.root, household.node)
    doors = NodeDoors(household, SystemClock())
    async with KubeletServer(doors, certificate, Admission(token=TOKEN)) as server:
        yield server


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as session:
        yield session


@pytest.fixture
async def client(server: KubeletServer, session: aiohttp.ClientSession) -> AsyncIterator[Client]:
    client = Client(server.port, session)
    yield client
    await client.close()
