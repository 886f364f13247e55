"""A server that refuses every third call, or loses its answer: who gives way does so all the same, once, and nobody else does."""

import random
from pathlib import Path

import pytest

from corral.ports.refusals import ConflictError, OverloadedError, UnreachableError
from tests.scheduling.giving_way.test_wherever_a_scheduler_dies import PLAYS, TERMS, Play, is_all_done, is_settled
from tests.scheduling.giving_way.theatre import Theatre
from tests.training.sweeps.troubled_store import Trouble

pytestmark = pytest.mark.anyio

WORSE = 3
"""One call of so many goes wrong."""
READS = ("get", "list", "watch")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Storm(Trouble):
    """Refusals of every kind that means "not now", before a call is sent; and answers that are lost after it was done."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._chance = random.Random(seed)
        self.refused = 0

    async def before(self, what: str) -> int:
        """Refuses some calls; a conflict only where something is changed."""
        number = await super().before(what)
        if self._chance.randrange(WORSE) == 0:
            self.refused += 1
            raise self._refusal(is_write=not what.startswith(READS))
        return number

    async def after(self, number: int) -> None:
        """Loses some answers."""
        if self._chance.randrange(2 * WORSE) == 0:
            self.refused += 1
            raise UnreachableError("the connection was cut", delivered=True)

    def _refusal(self, *, is_write: bool) -> Exception:
        kinds: list[Exception] = [
            OverloadedError("too many requests", retry_after=1.0, http_status=429),
            OverloadedError("etcd is busy", http_status=500),
            UnreachableError("nobody answers", delivered=False),
        ]
        return self._chance.choice([*kinds, ConflictError("somebody was faster")] if is_write else kinds)


class Busy(Trouble):
    """Pods that somebody else changes all the time: the first changes and deletions of each kind meet a conflict."""

    def __init__(self) -> None:
        super().__init__()
        self.left = {"patch Pod": 3, "delete Pod": 3}

    async def before(self, what: str) -> int:
        """Refuses the first of each."""
        number = await super().before(what)
        if self.left.get(what):
            self.left[what] -= 1
            raise ConflictError("the object has been modified; please apply your changes to the latest version")
        return number


async def test_pods_that_others_change_all_the_time_are_marked_and_go(tmp_path: Path) -> None:
    """A conflict is no sign that the pod is gone: unmarked it would be taken for a failure, and undeleted it would stay for ever."""
    play, busy, theatre = PLAYS["evicted"], Busy(), await Theatre.open(tmp_path, a=4, b=4)
    try:
        theatre.reign(busy, TERMS)
        await play.before(theatre)
        busy.left = {"patch Pod": 3, "delete Pod": 3}
        await play.happens(theatre)
        await theatre.until(lambda: is_all_done(theatre, play))
        await play.check(theatre)
        assert busy.left == {"patch Pod": 0, "delete Pod": 0}
    finally:
        await theatre.close()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS)
async def test_it_comes_to_the_same_end(play: Play, seed: int, tmp_path: Path) -> None:
    """Invariants I4, I5, I6 and I7."""
    storm, theatre = Storm(seed), await Theatre.open(tmp_path, a=4, b=4)
    try:
        theatre.reign(storm, TERMS)
        await play.before(theatre)
        lives = {name: await theatre.lives(name) for name in play.bystanders}
        await play.happens(theatre)
        await theatre.until(lambda: is_all_done(theatre, play), rounds=1500)
        await play.check(theatre)
        await theatre.until(lambda: is_settled(theatre), rounds=1500)
        assert {name: await theatre.lives(name) for name in play.bystanders} == lives
        assert storm.refused > 10
    finally:
        await theatre.close()
