"""What ResourceQuotas leave is known before anything is decided, follows them, and is not asked for where there is no such kind."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.control.runtime import Runtime, runtime_of
from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.queueing.followed_quotas import FollowedQuotas
from corral.control.scheduling.room import FleetRoom
from corral.kinds.well_known import RESOURCE_QUOTA
from corral.placement.fleet import Fleet
from tests.scheduling.cluster import GPU, Cluster

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def running(cluster: Cluster) -> AsyncIterator[Runtime]:
    async with AsyncClient(cluster.client.access, manager="tests") as client:
        runtime = runtime_of(client, clock=SystemClock(), randomness=SystemRandomness())
        task = asyncio.create_task(runtime.caches.run())
        yield runtime
        task.cancel()
        await asyncio.wait([task])


async def test_what_they_leave_is_known(cluster: Cluster) -> None:
    desk = AdmissionDesk(FleetRoom(Fleet()))
    if not cluster.is_real:
        async with running(cluster) as runtime:
            await FollowedQuotas(runtime, desk).follow()
            assert list(runtime.caches.find(RESOURCE_QUOTA)) == []
        return
    quota = {"metadata": {"name": "team", "namespace": cluster.namespace}, "spec": {"hard": {f"requests.{GPU}": "4"}}}
    cluster.client.create(RESOURCE_QUOTA, quota)
    cluster.wait(lambda: cluster.get(RESOURCE_QUOTA, "team").get("status"))

    async def left(amounts: dict[str, int]) -> None:
        await asyncio.to_thread(cluster.wait, lambda: desk.left_in(cluster.namespace), lambda seen: seen == amounts)

    async with running(cluster) as runtime:
        await FollowedQuotas(runtime, desk).follow()
        assert desk.left_in(cluster.namespace) == {"gpu": 4000}
        await asyncio.to_thread(cluster.pod, "holds", 3)
        await left({"gpu": 1000})
        await asyncio.to_thread(cluster.client.delete, RESOURCE_QUOTA, cluster.key("team"))
        await left({})
