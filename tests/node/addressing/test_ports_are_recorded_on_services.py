"""The ledger of loopback ports on a real API: compare-and-swap, many at once, hand-written nonsense, and lost Services."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.control.object_cache import ObjectCache
from corral.engine.node.addressing.ledger import PortLedger, recorded, taken
from corral.engine.node.addressing.loopback import ServicePort
from corral.engine.node.addressing.ports import PortRange
from corral.kinds.nodes import LOOPBACK_PORTS
from corral.kinds.objects import Object
from corral.kinds.well_known import SERVICE
from corral.ports.object_store import Patch, Scope
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.fault_proxy import FaultProxy, Seen, first_times, reply
from corral.testing.waiting import eventually

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio

RANGE = PortRange(20000, 20999)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def client(api: ApiUnderTest) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(api.access) as client:
        yield client


@asynccontextmanager
async def following(client: AsyncClient, namespace: str) -> AsyncIterator[ObjectCache[Object]]:
    """Yields a cache of the Services that has its first list."""
    clock, randomness = SystemClock(), SystemRandomness()
    cache = ObjectCache(client, SERVICE, dict[str, Any], clock=clock, randomness=randomness, scope=Scope(namespace))
    task = asyncio.create_task(cache.run())
    try:
        async with asyncio.timeout(10):
            await cache.wait_synced()
        yield cache
    finally:
        task.cancel()
        await asyncio.wait([task])


def ledger(client: AsyncClient, cache: ObjectCache[Object], ports: PortRange = RANGE) -> PortLedger:
    return PortLedger(client, cache, ports=ports, is_free=lambda port: True)


async def create(client: AsyncClient, namespace: str, name: str, annotation: str | None = None, **spec: Any) -> Object:
    metadata: Object = {"name": name, "namespace": namespace}
    if annotation is not None:
        metadata["annotations"] = {LOOPBACK_PORTS: annotation}
    given = {"clusterIP": "None", "selector": {"app": name}, **spec}
    return await client.create(SERVICE, {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": given})


async def test_a_port_is_recorded_and_stays(api: ApiUnderTest, client: AsyncClient) -> None:
    await create(client, api.namespace, "tf-worker-0")
    wanted = ServicePort(api.namespace, "tf-worker-0", 2222)
    async with following(client, api.namespace) as cache:
        first = await ledger(client, cache).allot({wanted})
        again = await ledger(client, cache).allot({wanted})
    stored = await client.get(SERVICE, api.key("tf-worker-0"))
    assert first == again
    assert first.missing == frozenset()
    assert json.loads(stored["metadata"]["annotations"][LOOPBACK_PORTS]) == {"2222": first.ports[wanted]}


async def test_many_services_and_many_who_ask_get_different_ports(api: ApiUnderTest, client: AsyncClient) -> None:
    names = [f"w-{number}" for number in range(24)]
    for name in names:
        await create(client, api.namespace, name)
    wanted = {ServicePort(api.namespace, name, port) for name in names for port in (2222, 2223)}
    async with following(client, api.namespace) as cache:
        one = ledger(client, cache, PortRange(20000, 20047))
        answers = await asyncio.gather(*(one.allot(wanted) for _ in range(5)))
        await eventually(lambda: len(taken(cache.objects())) == 48)
    assert all(answer == answers[0] for answer in answers)
    assert set(answers[0].ports.values()) == set(range(20000, 20048))


async def test_two_ledgers_agree_about_one_service(api: ApiUnderTest, client: AsyncClient) -> None:
    await create(client, api.namespace, "w")
    wanted = [{ServicePort(api.namespace, "w", port) for port in range(start, start + 8)} for start in (1, 5)]
    async with following(client, api.namespace) as cache, following(client, api.namespace) as other:
        answers = await asyncio.gather(ledger(client, cache).allot(wanted[0]), ledger(client, other).allot(wanted[1]))
    both = wanted[0] & wanted[1]
    assert {one: answers[0].ports[one] for one in both} == {one: answers[1].ports[one] for one in both}
    assert len({*answers[0].ports.values(), *answers[1].ports.values()}) == 12


async def test_a_conflict_is_read_again(api: ApiUnderTest, client: AsyncClient) -> None:
    await create(client, api.namespace, "w")
    wanted = ServicePort(api.namespace, "w", 80)
    async with (
        FaultProxy(api.access) as proxy,
        AsyncClient(proxy.access()) as behind,
        following(client, api.namespace) as cache,
    ):
        proxy.fault_for = first_times(2, _is_patch, reply(409, "Conflict"))
        found = await ledger(behind, cache).allot({wanted})
    stored = await client.get(SERVICE, api.key("w"))
    assert recorded(stored) == {80: found.ports[wanted]}


def _is_patch(seen: Seen) -> bool:
    return seen.method == "PATCH"


async def test_what_is_not_there_is_told_and_no_error(api: ApiUnderTest, client: AsyncClient) -> None:
    await create(client, api.namespace, "front", clusterIP="", ports=[{"port": 80}])
    asked = {
        ServicePort(api.namespace, "front", 80),
        ServicePort(api.namespace, "front", 81),
        ServicePort(api.namespace, "nobody", 80),
        *(ServicePort(f"absent-{number}", "nobody", 80) for number in range(9)),
    }
    async with following(client, api.namespace) as cache:
        found = await ledger(client, cache).allot(asked)
    assert set(found.ports) == {(api.namespace, "front", 80)}
    assert found.missing == asked - set(found.ports)


async def test_a_service_that_the_cache_has_not_heard_of_is_found(api: ApiUnderTest, client: AsyncClient) -> None:
    async with following(client, "a-namespace-without-anything") as deaf:
        await create(client, api.namespace, "late")
        found = await ledger(client, deaf).allot({ServicePort(api.namespace, "late", 80)})
    assert not found.missing


@pytest.mark.parametrize(
    "written", ["not json", "[1]", "7", '{"80": "x"}', '{"80": 0}', '{"80": 70000}', '{"80": true}']
)
async def test_nonsense_written_by_hand_is_replaced(api: ApiUnderTest, client: AsyncClient, written: str) -> None:
    await create(client, api.namespace, "w", written)
    wanted = ServicePort(api.namespace, "w", 80)
    async with following(client, api.namespace) as cache:
        found = await ledger(client, cache).allot({wanted})
    stored = await client.get(SERVICE, api.key("w"))
    assert json.loads(stored["metadata"]["annotations"][LOOPBACK_PORTS]) == {"80": found.ports[wanted]}


async def test_a_port_that_was_pinned_by_hand_counts(api: ApiUnderTest, client: AsyncClient) -> None:
    await create(client, api.namespace, "redis", '{"6379": 6379}')
    pinned, other = (ServicePort(api.namespace, "redis", port) for port in (6379, 6380))
    async with following(client, api.namespace) as cache:
        found = await ledger(client, cache).allot({pinned, other})
    assert found.ports[pinned] == 6379
    assert recorded(await client.get(SERVICE, api.key("redis"))) == {6379: 6379, 6380: found.ports[other]}


async def test_ports_of_other_services_are_not_given_again(api: ApiUnderTest, client: AsyncClient) -> None:
    await create(client, api.namespace, "a", json.dumps({str(port): 19999 + port for port in range(1, 5)}))
    await create(client, api.namespace, "b")
    wanted = ServicePort(api.namespace, "b", 80)
    async with following(client, api.namespace) as cache:
        found = await ledger(client, cache, PortRange(20000, 20004)).allot({wanted})
    assert found.ports[wanted] == 20004


async def test_a_port_that_a_stranger_took_is_renewed_once(api: ApiUnderTest, client: AsyncClient) -> None:
    await create(client, api.namespace, "w", '{"80": 20500}')
    wanted = ServicePort(api.namespace, "w", 80)
    async with following(client, api.namespace) as cache:
        one = ledger(client, cache)
        both = await asyncio.gather(one.renew(wanted, 20500), one.renew(wanted, 20500))
        after = await one.allot({wanted})
    assert both[0] == both[1]
    assert both[0] is not None
    assert both[0].new == after.ports[wanted] != 20500
    assert f"the loopback port 20500 of w.{api.namespace}:80 is used by another program" in both[0].sentence


async def test_nothing_is_renewed_for_a_service_that_is_gone(api: ApiUnderTest, client: AsyncClient) -> None:
    async with following(client, api.namespace) as cache:
        assert await ledger(client, cache).renew(ServicePort(api.namespace, "w", 80), 20500) is None


async def test_a_change_by_somebody_else_is_not_lost(api: ApiUnderTest, client: AsyncClient) -> None:
    await create(client, api.namespace, "w")
    async with following(client, "a-namespace-without-anything") as deaf:
        one = ledger(client, deaf)
        await one.allot({ServicePort(api.namespace, "w", 80)})
        body = {"metadata": {"annotations": {LOOPBACK_PORTS: '{"81": 20777}'}}}
        await client.patch(SERVICE, api.key("w"), Patch("merge", body))
        found = await one.allot({ServicePort(api.namespace, "w", 81)})
    assert found.ports[ServicePort(api.namespace, "w", 81)] == 20777
