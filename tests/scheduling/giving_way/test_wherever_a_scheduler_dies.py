"""A scheduler is killed at every call it makes while others give way, before the server has heard it and after.

F01 and F28 for evictions, moves and resizings; invariants I4, I5, I6 and I7. The next one brings all to the same end: who was named went once and is back in line,
who was not named was not touched, no job stays suspended, nothing is given twice, and the ledger is empty.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from corral.kinds.scheduling.names import CHECKPOINTS, MOVES_FOR
from corral.placement.admission.cycle import Terms
from tests.scheduling.giving_way.theatre import Theatre
from tests.training.sweeps.crashes import Crash, Moment
from tests.training.sweeps.depth import sampled

pytestmark = pytest.mark.anyio

TERMS = Terms(placements_per_move=1, calm=5.0)
ELASTIC = {"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d"}
NEVER = 1_000_000


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class LateCrash(Crash):
    """A crash that is counted from a moment of the test's choice."""

    def __init__(self, number: int, moment: Moment) -> None:
        super().__init__(NEVER, moment)
        self._after = number
        self._began = 0

    def begin(self) -> None:
        """Counts calls from now on."""
        self._began = len(self.calls)
        self._number = self._began + self._after

    @property
    def counted(self) -> int:
        """Returns how many calls were made since."""
        return len(self.calls) - self._began


class Play(NamedTuple):
    """What happens: what there is before, what is asked for, when it is done, and what must be so then."""

    before: Callable[[Theatre], Awaitable[None]]
    happens: Callable[[Theatre], Awaitable[None]]
    is_done: Callable[[Theatre], Awaitable[bool]]
    bystanders: tuple[str, ...]
    """Jobs of which nobody may go."""
    check: Callable[[Theatre], Awaitable[None]]


async def runs(theatre: Theatre, name: str, workers: int) -> bool:
    return await theatre.running(name) == workers == len(await theatre.pods(name))


async def begun(theatre: Theatre, name: str, workers: int, **options: Any) -> None:
    await theatre.job(name, workers, **options)
    await theatre.until(lambda: runs(theatre, name, workers))
    await theatre.pass_time(2)


async def is_settled(theatre: Theatre) -> bool:
    ledger = await theatre.ledger()
    return not ledger.concessions and not ledger.decisions


# --- an important gang comes ---


async def four_jobs(theatre: Theatre) -> None:
    for number in range(3):
        await begun(theatre, f"low-{number}", 2, priority=5)
    await begun(theatre, "victim", 2)


async def an_important_one_comes(theatre: Theatre) -> None:
    await theatre.job("urgent", 2, priority=10)


async def it_runs(theatre: Theatre) -> bool:
    return await runs(theatre, "urgent", 2) and await theatre.placed("victim") == {}


async def the_victim_comes_back(theatre: Theatre) -> None:
    job = await theatre.get("victim")
    assert [one["class"] for one in job["status"]["failures"]] == ["preempted", "preempted"]
    assert not any(one["type"] == "Failed" for one in job["status"]["conditions"])
    (past,) = (await theatre.ledger()).pasts
    assert (past.name, past.evictions) == ("ns/victim", 1)
    await theatre.end("urgent")
    await theatre.until(lambda: runs(theatre, "victim", 2))


# --- a job moves ---


async def two_that_could_move(theatre: Theatre) -> None:
    await begun(theatre, "left", 1, gpus=3)
    await begun(theatre, "right", 1, gpus=3)
    for name in ("here", "there"):
        await begun(theatre, name, 1, annotations={CHECKPOINTS: "true"})
    await theatre.end("left")
    await theatre.end("right")
    await theatre.pass_time(2)


async def a_large_one_comes(theatre: Theatre) -> None:
    await theatre.job("large", 1, gpus=4)


async def all_three_run(theatre: Theatre) -> bool:
    return all([await runs(theatre, name, 1) for name in ("large", "here", "there")])


async def nobody_is_suspended(theatre: Theatre) -> None:
    for name in ("large", "here", "there"):
        job = await theatre.get(name)
        assert not job["spec"].get("runPolicy", {}).get("suspend")
        assert MOVES_FOR not in job["metadata"].get("annotations", {})
        assert not any(one["type"] == "Failed" for one in job["status"]["conditions"])


# --- an elastic job shrinks, and grows again ---


async def one_that_has_grown(theatre: Theatre) -> None:
    await begun(theatre, "kept", 1)
    await begun(theatre, "elastic", 4, elasticPolicy=ELASTIC)


async def one_of_six_comes(theatre: Theatre) -> None:
    await theatre.job("other", 6)


async def it_has_shrunk(theatre: Theatre) -> bool:
    return await runs(theatre, "other", 6) and await runs(theatre, "elastic", 1)


async def it_grows_again(theatre: Theatre) -> None:
    job = await theatre.get("elastic")
    assert not job["status"].get("failures")
    assert set(await theatre.placed("elastic")) == {"elastic-worker-0"}
    await theatre.end("other")
    await theatre.until(lambda: runs(theatre, "elastic", 4))


PLAYS = {
    "evicted": Play(four_jobs, an_important_one_comes, it_runs, ("low-0", "low-1", "low-2"), the_victim_comes_back),
    "moved": Play(two_that_could_move, a_large_one_comes, all_three_run, (), nobody_is_suspended),
    "resized": Play(one_that_has_grown, one_of_six_comes, it_has_shrunk, ("kept",), it_grows_again),
}


async def played(folder: Path, play: Play, crash: LateCrash) -> int:
    """Plays with a scheduler that dies, and another one after it; returns how many calls the first one made until all was done."""
    theatre = await Theatre.open(folder, a=4, b=4)
    try:
        theatre.reign(crash, TERMS)
        await play.before(theatre)
        lives = {name: await theatre.lives(name) for name in play.bystanders}
        crash.begin()
        await play.happens(theatre)
        await theatre.until(lambda: is_over(theatre, play, crash))
        counted = crash.counted
        await theatre.die()
        theatre.reign(terms=TERMS)
        await theatre.job("tick", 1, gpus=0)  # moves are counted by placements, and a reign begins to count anew
        await theatre.until(lambda: is_all_done(theatre, play))
        await play.check(theatre)
        await theatre.until(lambda: is_settled(theatre))
        assert {name: await theatre.lives(name) for name in play.bystanders} == lives
        return counted
    finally:
        await theatre.close()


async def is_over(theatre: Theatre, play: Play, crash: LateCrash) -> bool:
    return crash.is_fatal or await is_all_done(theatre, play)


async def is_all_done(theatre: Theatre, play: Play) -> bool:
    return await is_settled(theatre) and await play.is_done(theatre)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS)
async def test_the_next_one_brings_it_to_the_same_end(play: Play, moment: Moment, tmp_path: Path) -> None:
    calls = await played(tmp_path / "clean", play, LateCrash(NEVER, moment))
    assert calls > 5
    for number in sampled(range(1, calls + 1), one_of=4, shift=calls):
        await played(tmp_path / str(number), play, LateCrash(number, moment))
