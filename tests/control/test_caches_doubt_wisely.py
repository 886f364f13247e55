"""What a cache does about things that a real server does rarely: going back in time, ending streams at once, silence.

The server here is a script and the clock stands still until it is moved.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from corral.control.caches import Caches
from corral.control.object_cache import CacheSettings, ObjectCache
from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import POD
from corral.ports.object_store import Change, Page, Scope, Start
from corral.ports.refusals import ExpiredError, ForbiddenError, NotFoundError, UnreachableError
from corral.testing.manual_clock import FixedRandomness, ManualClock, settled

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def pod(name: str, version: int) -> Object:
    return {"metadata": {"name": name, "namespace": "n", "uid": f"uid-{name}", "resourceVersion": str(version)}}


class Script:
    """A server whose state and streams a test sets by hand."""

    def __init__(self, revision: int, *pods: Object) -> None:
        self.revision = revision
        self.pods = list(pods)
        self.lists: list[int] = []
        self.starts: list[Start] = []
        self.endings: list[CorralError | None] = []
        self.stream: asyncio.Queue[Sequence[Change[Any]] | CorralError | None] = asyncio.Queue()

    async def pages(
        self, resource: ApiResource, scope: Scope, shape: type[Any], *, page_size: int = 500
    ) -> AsyncGenerator[Page[Any], None]:
        self.lists.append(page_size)
        yield Page(list(self.pods)[:page_size], str(self.revision))

    async def watch(
        self, resource: ApiResource, scope: Scope, start: Start, shape: type[Any]
    ) -> AsyncGenerator[Sequence[Change[Any]], None]:
        self.starts.append(start)
        if self.endings:
            ending = self.endings.pop(0)
            if ending is not None:
                raise ending
            return
        yield []
        while True:
            step = await self.stream.get()
            if step is None:
                return
            if isinstance(step, CorralError):
                raise step
            yield step


@asynccontextmanager
async def following(script: Script, clock: ManualClock) -> AsyncIterator[ObjectCache[Object]]:
    cache: ObjectCache[Object] = ObjectCache(
        script, POD, dict[str, Any], clock=clock, randomness=FixedRandomness(), settings=CacheSettings()
    )
    task = asyncio.create_task(cache.run())
    try:
        await settled()
        yield cache
    finally:
        task.cancel()
        await asyncio.wait([task])


def names(cache: ObjectCache[Object]) -> list[str]:
    return sorted(held["metadata"]["name"] for held in cache.objects())


CUT = UnreachableError("cut", delivered=True)
SILENCE = UnreachableError("silence", delivered=True, timed_out=True)


async def test_f14_when_the_revision_went_back_nothing_is_deleted_for_a_minute() -> None:
    script, clock = Script(900, pod("a", 800), pod("b", 850)), ManualClock()
    async with following(script, clock) as cache:
        script.revision, script.pods = 500, [pod("a", 400)]  # restored from a backup that does not know b
        await script.stream.put(CUT)
        await clock.advance(5)
        assert cache.counts.rollbacks == 1
        assert names(cache) == ["a", "b"]
        assert script.starts[-1].revision == "500"
        assert script.starts[-1].timeout_seconds <= 61
        await clock.advance(60)
        await script.stream.put(None)  # the server ends the stream at its time
        await clock.advance(1)
        assert names(cache) == ["a"]
        assert cache.counts.rollbacks == 1


async def test_f14_a_bookmark_from_the_past_makes_the_cache_look() -> None:
    script, clock = Script(900, pod("a", 800)), ManualClock()
    async with following(script, clock) as cache:
        script.revision, script.pods = 500, []
        await script.stream.put([Change("BOOKMARK", None, "500")])
        await script.stream.put(None)
        await clock.advance(5)
        assert cache.counts.rollbacks == 1
        assert names(cache) == ["a"]


async def test_a_cut_is_followed_by_one_small_question_and_no_list() -> None:
    script, clock = Script(900, pod("a", 800)), ManualClock()
    async with following(script, clock) as cache:
        await script.stream.put([Change("ADDED", pod("b", 901))])
        script.revision = 950
        await script.stream.put(CUT)
        await clock.advance(5)
        assert script.lists == [500, 1]
        assert [start.revision for start in script.starts] == ["900", "901"]
        assert names(cache) == ["a", "b"]


async def test_silence_is_not_a_failure_and_the_watch_resumes_at_once() -> None:
    script, clock = Script(900), ManualClock()
    async with following(script, clock) as cache:
        await script.stream.put(SILENCE)
        await settled()
        assert len(script.starts) == 2
        assert (cache.counts.failures, script.lists) == (0, [500])


async def test_a_server_that_ends_every_stream_at_once_is_not_stormed() -> None:
    script, clock = Script(900), ManualClock()
    script.endings = [None] * 1000
    async with following(script, clock):
        await clock.advance(60)
        assert len(script.starts) < 30


async def test_lasting_expiry_is_not_stormed_either() -> None:
    script, clock = Script(900), ManualClock()
    script.endings = [ExpiredError("too old")] * 1000
    async with following(script, clock) as cache:
        await clock.advance(60)
        assert 10 < cache.counts.expired < 30
        assert len(script.lists) <= cache.counts.expired + 1


async def test_everything_is_listed_again_from_time_to_time() -> None:
    script, clock = Script(900, pod("a", 800)), ManualClock()
    async with following(script, clock) as cache:
        script.pods, script.revision = [], 905  # a deletion that the watch never told
        await clock.advance(600)
        assert names(cache) == ["a"]
        await script.stream.put(None)
        await clock.advance(1)
        assert names(cache) == []


async def test_health_fails_when_nothing_is_heard() -> None:
    script, clock = Script(900, pod("a", 800)), ManualClock()
    async with following(script, clock) as cache:
        assert cache.verdict().is_well
        script.endings = [UnreachableError("the API server is down", delivered=False)] * 1000
        await script.stream.put(CUT)
        await clock.advance(80)
        assert cache.verdict().is_well
        await clock.advance(20)
        verdict = cache.verdict()
        assert not verdict.is_well
        assert "nothing heard for" in verdict.detail
        script.endings.clear()
        await clock.advance(5)
        assert cache.verdict().is_well


async def test_a_subscriber_that_fails_does_not_blind_the_cache() -> None:
    script, clock = Script(900, pod("a", 800)), ManualClock()
    async with following(script, clock) as cache:
        failures = [ValueError("a bug")]

        def subscriber(_: object) -> None:
            if failures:
                raise failures.pop()

        cache.subscribe(
            lambda deltas: None if deltas[0].new is None or deltas[0].key.name == "a" else subscriber(deltas)
        )
        script.pods, script.revision = [pod("a", 800), pod("b", 901)], 901
        await script.stream.put([Change("ADDED", pod("b", 901))])
        await clock.advance(5)
        assert names(cache) == ["a", "b"]
        assert script.lists == [500, 500]


async def test_reads_know_how_fresh_they_are() -> None:
    script, clock = Script(900, pod("a", 800)), ManualClock()
    async with following(script, clock) as cache:
        assert cache.has_synced
        assert cache.has_seen("900")
        assert not cache.has_seen("905")
        await script.stream.put([Change("BOOKMARK", None, "905")])
        await settled()
        assert cache.has_seen("905")
        cache.add_indexes({"initial": lambda held: [held["metadata"]["name"][0]]})
        assert [held["metadata"]["name"] for held in cache.by_index("initial", "a")] == ["a"]
        assert cache.get(ObjectKey("n", "a")) == pod("a", 800)
        assert cache.objects("elsewhere") == []
        await clock.advance(7)
        assert cache.age() == 7


async def test_a_cache_is_current_while_the_server_is_heard() -> None:
    script, clock = Script(900), ManualClock()
    async with following(script, clock) as cache:
        await clock.advance(40)
        await script.stream.put(SILENCE)
        await settled()
        assert cache.is_current
        script.endings = [UnreachableError("the API server is down", delivered=False)] * 1000
        await script.stream.put(CUT)
        await clock.advance(48)
        assert cache.is_current
        await clock.advance(1)
        assert not cache.is_current
        script.endings.clear()
        await clock.advance(5)
        assert cache.is_current


async def test_a_right_that_is_withheld_is_asked_for_more_and_more_rarely() -> None:
    script, clock = Script(900), ManualClock()
    async with following(script, clock) as cache:
        script.endings = [ForbiddenError("pods is forbidden")] * 1000
        await script.stream.put(CUT)
        await clock.advance(600)
        asked = len(script.starts)
        await clock.advance(600)
        assert 10 <= len(script.starts) - asked <= 20
        script.endings.clear()
        await clock.advance(60)
        assert cache.failure is None


async def test_a_kind_that_is_not_installed_is_noticed_soon() -> None:
    script, clock = Script(900), ManualClock()
    async with following(script, clock) as cache:
        script.endings = [NotFoundError("the server could not find the requested resource")] * 1000
        await script.stream.put(CUT)
        await clock.advance(600)
        script.endings.clear()
        await clock.advance(4)
        assert cache.is_current


async def test_a_kind_that_is_not_installed_is_said_once_with_the_way_to_get_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "corral.control.cache")
    script, clock = Script(900), ManualClock()
    async with following(script, clock) as cache:
        cache.way_to_install = "run `corral install`"
        missing = NotFoundError("404 page not found")
        for _ in range(2):
            script.endings = [missing] * 1000
            await script.stream.put(CUT)
            await clock.advance(60)
            assert cache.is_missing
            script.endings.clear()
            await clock.advance(5)
            assert not cache.is_missing
    said = [record for record in caplog.records if record.name == "corral.control.cache"]
    told = [(record.levelname, record.getMessage()) for record in said if "kind" in record.getMessage()]
    assert told == [("WARNING", "kind not installed; run `corral install`")] * 2
    assert not any("404" in getattr(record, "reason", "") for record in said)


async def test_health_tells_caches_of_one_resource_apart() -> None:
    caches = Caches(Script(900), clock=ManualClock(), randomness=FixedRandomness())
    caches.of(POD)
    assert [one.part for one in caches.verdicts()] == ["cache of pods"]
    caches.of(POD, Scope("team", "app=web"))
    parts = [one.part for one in caches.verdicts()]
    assert parts == ["cache of pods (all)", "cache of pods (namespace team app=web)"]
