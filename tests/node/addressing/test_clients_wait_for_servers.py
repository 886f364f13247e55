"""A client that comes before the pod of a server waits a moment for it, since the server may have a port of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.control.object_cache import ObjectCache
from corral.engine.node.addressing.ledger import PortLedger, recorded
from corral.engine.node.addressing.loopback import ServicePort
from corral.engine.node.addressing.ports import PortRange
from corral.engine.node.containers.launch import WAITING, StartRefusedError
from corral.engine.node.pods.addresses import PATIENCE, AddressBook
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.kinds.well_known import POD, SERVICE
from corral.ports.object_store import Scope
from corral.reconcile.moments import seconds_of
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.waiting import eventually

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def client(api: ApiUnderTest) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(api.access) as client:
        yield client


class Scene:
    """An address book over a namespace, and what stands in it."""

    def __init__(self, client: AsyncClient, namespace: str, services: ObjectCache[Object], pods: ObjectCache[Object]):
        self.services = services
        self._client = client
        self._namespace = namespace
        self._pods = pods
        self._book = AddressBook(
            client, services, pods, PortLedger(client, services, ports=PortRange(20000, 20999), is_free=lambda _: True)
        )

    async def make(self, resource: ApiResource, name: str, spec: Object) -> Object:
        """Creates an object and waits until the caches have it."""
        metadata = {"name": name, "namespace": self._namespace, "labels": {"app": name}}
        made = await self._client.create(resource, {"metadata": metadata, "spec": spec})
        cache = self.services if resource == SERVICE else self._pods
        await eventually(lambda: any(one["metadata"]["name"] == name for one in cache.objects()))
        return made

    async def port_of(self, pod: Object, age: float) -> int | None:
        """Returns where a pod of an age is sent for `web:80`."""
        found = await self._book.of(pod, (), (seconds_of(pod["metadata"]["creationTimestamp"]) or 0.0) + age)
        return found.ports.get(ServicePort(self._namespace, "web", 80))


@asynccontextmanager
async def scene(client: AsyncClient, namespace: str) -> AsyncIterator[Scene]:
    """Yields a scene whose caches have their first lists."""
    clock, randomness, scope = SystemClock(), SystemRandomness(), Scope(namespace)
    services, pods = (
        ObjectCache(client, resource, dict[str, Any], clock=clock, randomness=randomness, scope=scope)
        for resource in (SERVICE, POD)
    )
    tasks = [asyncio.create_task(cache.run()) for cache in (services, pods)]
    try:
        async with asyncio.timeout(10):
            await asyncio.gather(services.wait_synced(), pods.wait_synced())
        yield Scene(client, namespace, services, pods)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def program(*words: str) -> Object:
    return {"containers": [{"name": "main", "image": "any", "command": list(words)}]}


WEB = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}


async def test_a_client_waits_for_the_server_and_is_sent_to_its_port(api: ApiUnderTest, client: AsyncClient) -> None:
    async with scene(client, api.namespace) as on:
        await on.make(SERVICE, "web", WEB)
        asker = await on.make(POD, "asker", program("ask", "http://web:80/"))
        with pytest.raises(StartRefusedError, match="waiting for a pod behind the Service of web") as refused:
            await on.port_of(asker, age=PATIENCE - 0.1)
        assert refused.value.reason == WAITING
        assert [recorded(one) for one in on.services.objects()] == [{}], "nobody is told a port that may be wrong"
        await on.make(POD, "web", program("serve", "--port=8080"))
        assert await on.port_of(asker, age=PATIENCE - 0.1) == 8080


async def test_it_waits_no_longer_than_a_moment(api: ApiUnderTest, client: AsyncClient) -> None:
    async with scene(client, api.namespace) as on:
        await on.make(SERVICE, "web", WEB)
        asker = await on.make(POD, "asker", program("ask", "http://web:80/"))
        told = await on.port_of(asker, age=PATIENCE)
        assert told in range(20000, 21000)
        assert await on.port_of(asker, age=0.0) == told, "what was told once is not waited for"


async def test_a_name_without_a_selector_is_not_waited_for(api: ApiUnderTest, client: AsyncClient) -> None:
    async with scene(client, api.namespace) as on:
        await on.make(SERVICE, "web", {"ports": [{"port": 80}]})
        asker = await on.make(POD, "asker", program("ask", "http://web:80/"))
        assert await on.port_of(asker, age=0.0) in range(20000, 21000)
