"""The list-watch cache through a proxy that misbehaves (reliability.md F04, F08, F10 to F12).

F04 refused            resumes within 5 s of the return, with at most one list
F08 410                lists again and tells the deletions it missed
F09 429                waits as asked
F10 403                says why in its health, recovers when allowed
F11 half-open          noticed by silence, resumed without a list
F12 disturbed events   same end state
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.control.backoff import Backoff
from corral.control.mirror import Delta
from corral.control.object_cache import CacheSettings, ObjectCache
from corral.kinds.objects import Object, is_deleting, key_of
from corral.kinds.well_known import CONFIG_MAP
from corral.ports.object_store import DeleteOptions, Patch, Scope
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.fault_proxy import FaultProxy, GoSilent, Rewrite, Seen, first_times, no_fault, reply
from corral.testing.waiting import eventually

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio

QUICK = CacheSettings(backoff=Backoff(0.05, 0.2), page_size=3)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def proxy(api: ApiUnderTest) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(api.access) as proxy:
        yield proxy


@pytest.fixture
async def writer(api: ApiUnderTest) -> AsyncIterator[AsyncClient]:
    """Goes to the server without the proxy."""
    async with AsyncClient(api.access) as client:
        yield client


class Followed:
    """A running cache, what its subscriber heard, and how to compare it with the server."""

    def __init__(self, api: ApiUnderTest, proxy: FaultProxy, writer: AsyncClient, settings: CacheSettings) -> None:
        self._client = AsyncClient(proxy.access())
        self._writer = writer
        self._scope = Scope(api.namespace, "part=test")
        self.cache: ObjectCache[Object] = ObjectCache(
            self._client,
            CONFIG_MAP,
            dict[str, Any],
            clock=SystemClock(),
            randomness=SystemRandomness(),
            scope=self._scope,
            settings=settings,
        )
        self.heard: list[Delta[Object]] = []
        self.cache.subscribe(self.heard.extend)

    async def __aenter__(self) -> "Followed":
        self._task = asyncio.create_task(self.cache.run())
        async with asyncio.timeout(10):
            await self.cache.wait_synced()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])
        await self._client.close()

    async def agrees(self) -> None:
        """Returns when the cache holds exactly what the server holds."""
        want = {key_of(item): item for item in await self._writer.list(CONFIG_MAP, self._scope)}
        await eventually(lambda: {key_of(item): item for item in self.cache.objects()} == want)


Follow = Callable[..., Followed]


@pytest.fixture
def follow(api: ApiUnderTest, proxy: FaultProxy, writer: AsyncClient) -> Follow:
    def make(settings: CacheSettings = QUICK) -> Followed:
        return Followed(api, proxy, writer, settings)

    return make


def config_map(api: ApiUnderTest, name: str, value: str = "0") -> Object:
    metadata = {"name": name, "namespace": api.namespace, "labels": {"part": "test"}}
    return {"metadata": metadata, "data": {"value": value}}


async def fill(api: ApiUnderTest, writer: AsyncClient, *names: str) -> None:
    await asyncio.gather(*(writer.create(CONFIG_MAP, config_map(api, name)) for name in names))


def count(proxy: FaultProxy, kind: Callable[[Seen], bool]) -> int:
    return sum(kind(seen) for seen in proxy.seen)


def full_lists(proxy: FaultProxy) -> int:
    return count(proxy, lambda seen: seen.is_list and "continue" not in seen.query and seen.query["limit"] != "1")


async def test_a_cache_follows_what_is_written(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy
) -> None:
    await fill(api, writer, *"abcdefg")
    async with follow() as followed:
        await followed.agrees()
        await fill(api, writer, "h")
        await writer.patch(CONFIG_MAP, api.key("a"), Patch("merge", {"data": {"value": "1"}}))
        await writer.delete(CONFIG_MAP, api.key("b"))
        await followed.agrees()
        [gone] = [delta for delta in followed.heard if delta.new is None]
        assert gone.key == api.key("b")
        assert followed.cache.verdict().is_well
    assert full_lists(proxy) == 1


async def test_a_list_can_be_streamed(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy
) -> None:
    await fill(api, writer, *"abcdefg")
    async with follow(QUICK._replace(streaming_list=True)) as followed:
        await followed.agrees()
        await writer.delete(CONFIG_MAP, api.key("b"))
        await followed.agrees()
    assert full_lists(proxy) == 0


async def test_a_server_that_does_not_stream_lists_is_asked_for_pages(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy
) -> None:
    await fill(api, writer, *"abc")
    proxy.fault_for = lambda seen: reply(422, "Invalid") if "sendInitialEvents" in seen.query else None
    async with follow(QUICK._replace(streaming_list=True)) as followed:
        await followed.agrees()
    assert full_lists(proxy) == 1


async def test_f04_after_an_outage_the_watch_resumes_without_a_list(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy
) -> None:
    await fill(api, writer, *"abc")
    async with follow() as followed:
        await eventually(lambda: count(proxy, lambda seen: seen.is_watch) == 1)
        await proxy.refuse()
        await writer.delete(CONFIG_MAP, api.key("a"))
        await fill(api, writer, "d")
        await eventually(lambda: followed.cache.counts.failures >= 3)
        assert len(followed.cache) == 3  # what is known stays known
        assert followed.cache.failure is not None
        proxy.seen.clear()
        await proxy.accept()
        returned = time.monotonic()
        await followed.agrees()
        assert time.monotonic() - returned < 5
        assert followed.cache.failure is None
    assert full_lists(proxy) == 0


async def test_f08_an_expired_revision_is_listed_again_and_missed_deletions_are_told(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy
) -> None:
    await fill(api, writer, *"abcdefghij")
    async with follow() as followed:
        await eventually(lambda: count(proxy, lambda seen: seen.is_watch) == 1)
        proxy.fault_for = lambda seen: reply(410, "Expired") if seen.is_watch else None
        await proxy.cut()
        await asyncio.gather(*(writer.delete(CONFIG_MAP, api.key(name)) for name in "abcde"))
        await eventually(lambda: followed.cache.counts.expired >= 2)
        proxy.fault_for = no_fault
        await followed.agrees()
        gone = sorted(delta.key.name for delta in followed.heard if delta.new is None)
        assert gone == list("abcde")


async def test_f08_an_expiry_within_the_stream_is_handled_the_same(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy
) -> None:
    expiry = b'{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}'
    proxy.fault_for = first_times(1, lambda seen: seen.is_watch, Rewrite(lambda line: [line, expiry]))
    async with follow() as followed:
        await eventually(lambda: count(proxy, lambda seen: seen.is_watch) == 1)
        await fill(api, writer, "a", "b")
        await followed.agrees()
        assert followed.cache.counts.expired == 1
    assert full_lists(proxy) == 2


async def test_f09_a_busy_server_is_left_alone_for_as_long_as_it_asks(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy
) -> None:
    await fill(api, writer, "a")
    proxy.fault_for = first_times(1, lambda seen: seen.is_watch, reply(429, "TooManyRequests", retry_after=1))
    async with follow() as followed:
        await eventually(lambda: count(proxy, lambda seen: seen.is_watch) == 1)
        refused = time.monotonic()
        await eventually(lambda: count(proxy, lambda seen: seen.is_watch) == 2)
        assert time.monotonic() - refused >= 0.9
        await followed.agrees()


async def test_f10_a_lost_right_is_told_and_its_return_is_noticed(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy
) -> None:
    await fill(api, writer, "a")
    async with follow() as followed:
        proxy.fault_for = lambda _: reply(403, "Forbidden", message="configmaps is forbidden")
        await proxy.cut()
        await eventually(lambda: followed.cache.failure is not None and followed.cache.failure.code == "forbidden")
        assert "configmaps is forbidden" in followed.cache.verdict().detail
        await fill(api, writer, "b")
        proxy.fault_for = no_fault
        await followed.agrees()


async def test_f11_a_half_open_watch_is_noticed_by_its_silence(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy
) -> None:
    """Invariant C6."""
    proxy.fault_for = first_times(1, lambda seen: seen.is_watch, GoSilent())
    async with follow(QUICK._replace(quiet_limit=0.3)) as followed:
        await fill(api, writer, "a")
        await followed.agrees()
        assert followed.cache.counts.failures == 0
    assert full_lists(proxy) == 1
    assert CacheSettings().quiet_limit <= 45


def disturbing(seed: int) -> Callable[[bytes], list[bytes]]:
    """Repeats lines, keeps some back and sends them late, in the wrong order."""
    kept: list[bytes] = []
    number = seed

    def rewrite(line: bytes) -> list[bytes]:
        nonlocal number
        number = (number * 1103515245 + 12345) % 2**31
        fate = (number >> 16) % 4
        if fate == 0:
            kept.insert(0, line)
            return []
        late, kept[:] = (list(kept), []) if fate == 1 else ([], kept)
        return [line, line, *late] if fate == 2 else [line, *late]

    return rewrite


@pytest.mark.parametrize("seed", range(5))
async def test_f12_disturbed_events_end_in_the_same_state(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow, proxy: FaultProxy, seed: int
) -> None:
    proxy.fault_for = lambda seen: Rewrite(disturbing(seed)) if seen.is_watch else None
    # What is still kept back when the stream ends counts as dropped: the regular list repairs that.
    async with follow(QUICK._replace(relist_every=1.5)) as followed:
        for round_ in range(4):
            await fill(api, writer, *(f"{name}{round_}" for name in "abcd"))
            await asyncio.gather(
                *(
                    writer.patch(CONFIG_MAP, api.key(f"{n}{round_}"), Patch("merge", {"data": {"value": "1"}}))
                    for n in "abc"
                )
            )
            await asyncio.gather(*(writer.delete(CONFIG_MAP, api.key(f"{n}{round_}")) for n in "bd"))
            await writer.create(CONFIG_MAP, config_map(api, f"b{round_}", "again"))
        await followed.agrees()
        known: dict[Any, Object] = {}
        for delta in followed.heard:
            assert known.get(delta.key) == delta.old
            known.pop(delta.key, None)
            if delta.new is not None:
                known[delta.key] = delta.new
        assert known == {key_of(item): item for item in followed.cache.objects()}


async def test_an_object_that_waits_for_its_finalizer_is_seen_as_deleting(
    api: ApiUnderTest, writer: AsyncClient, follow: Follow
) -> None:
    kept = config_map(api, "a")
    kept["metadata"]["finalizers"] = ["corral.test/wait"]
    await writer.create(CONFIG_MAP, kept)
    async with follow() as followed:
        assert await writer.delete(CONFIG_MAP, api.key("a"), DeleteOptions(propagation="Background")) is not None
        await followed.agrees()
        held = followed.cache.get(api.key("a"))
        assert held is not None
        assert is_deleting(held)
        await writer.patch(CONFIG_MAP, api.key("a"), Patch("merge", {"metadata": {"finalizers": None}}))
        await followed.agrees()
        assert len(followed.cache) == 0
