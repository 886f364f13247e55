"""The queue's promises: nothing asked for is lost, nothing is worked on twice at a time, nothing waits too short."""

import asyncio

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from corral.control.backoff import Backoff
from corral.control.work_queue import KeyLine, WorkQueue
from corral.testing.manual_clock import FixedRandomness, ManualClock, settled

pytestmark = [
    pytest.mark.anyio,
    # This module opens nothing, but makes much garbage: what an earlier test left open is often found during it.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

keys = st.sampled_from(["a", "b", "c", "d"])


class LineModel(RuleBasedStateMachine):
    """Compares KeyLine with sets: what is owed now, what is owed later, what is being worked on."""

    def __init__(self) -> None:
        super().__init__()
        self.line: KeyLine[str] = KeyLine()
        self.now = 0.0
        self.owed: list[str] = []
        self.working: set[str] = set()
        self.later: dict[str, float] = {}

    def owe(self, key: str) -> None:
        if key not in self.owed:
            self.owed.append(key)

    @rule(key=keys)
    def add(self, key: str) -> None:
        self.line.add(key)
        self.owe(key)

    @rule(key=keys, wait=st.integers(1, 10))
    def add_later(self, key: str, wait: int) -> None:
        self.line.add_at(key, self.now + wait)
        self.later[key] = min(self.later.get(key, self.now + wait), self.now + wait)

    @rule(seconds=st.integers(1, 5))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds

    @rule()
    def take(self) -> None:
        for key in sorted(self.later, key=lambda k: self.later[k]):
            if self.later[key] <= self.now:
                del self.later[key]
                self.owe(key)
        free = [key for key in self.owed if key not in self.working]
        taken = self.line.take(self.now)
        assert (taken is None) == (not free)
        if taken is not None:
            assert taken in free
            self.owed.remove(taken)
            self.working.add(taken)

    @precondition(lambda self: self.working)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.working)))
        self.line.done(key)
        self.working.remove(key)

    @invariant()
    def counts_agree(self) -> None:
        assert self.line.working == len(self.working)
        assert self.line.delayed == len(self.later)
        due = self.line.next_due()
        assert due == min(self.later.values(), default=None)


TestLine = LineModel.TestCase
TestLine.settings = settings(
    max_examples=100, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def new_queue(clock: ManualClock) -> WorkQueue[str]:
    return WorkQueue(clock, FixedRandomness(1.0), Backoff(1.0, 8.0))


async def test_waiting_workers_get_one_key_each() -> None:
    queue = new_queue(ManualClock())
    workers = [asyncio.create_task(queue.get()) for _ in range(3)]
    await settled()
    for key in ("a", "b", "a", "c"):
        queue.add(key)
    assert sorted(await asyncio.gather(*workers)) == ["a", "b", "c"]


async def test_a_delayed_key_comes_at_its_time_and_an_earlier_one_overtakes() -> None:
    clock = ManualClock()
    queue = new_queue(clock)
    queue.add_after("a", 10)
    queue.add_after("b", 20)
    worker = asyncio.create_task(queue.get())
    await clock.advance(1)
    queue.add_after("b", 4)
    await clock.advance(3.9)
    assert not worker.done()
    await clock.advance(0.2)
    assert await worker == "b"
    queue.close()


async def test_failures_wait_longer_each_time_until_forgotten() -> None:
    """Invariant C5."""
    queue = new_queue(ManualClock())
    assert [queue.add_failed("a") for _ in range(5)] == [1, 2, 4, 8, 8]
    assert queue.failures("a") == 5
    queue.forget("a")
    assert queue.add_failed("a") == 1
    assert queue.add_failed("b", at_least=30) == 30
    queue.close()


async def test_a_cancelled_worker_passes_its_turn_on() -> None:
    queue = new_queue(ManualClock())
    first, second = asyncio.create_task(queue.get()), asyncio.create_task(queue.get())
    await settled()
    queue.add("a")
    first.cancel()
    assert await second == "a"
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_key_added_while_worked_on_comes_once_more_and_not_before() -> None:
    """Invariant C3."""
    queue = new_queue(ManualClock())
    queue.add("a")
    assert await queue.get() == "a"
    for _ in range(3):
        queue.add("a")
    other = asyncio.create_task(queue.get())
    await settled()
    assert not other.done()
    queue.done("a")
    assert await other == "a"
    queue.done("a")
    assert queue.is_idle
