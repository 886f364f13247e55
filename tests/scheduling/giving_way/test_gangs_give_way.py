"""Gangs that run go, move, grow and shrink when they are asked to, and come back as they were."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from corral.kinds.scheduling.names import CHECKPOINTS, MOVES_FOR
from corral.placement.admission.cycle import Eviction, Migration, Resizing
from corral.ports.refusals import ForbiddenError
from tests.scheduling.giving_way.theatre import Theatre
from tests.training.sweeps.troubled_store import Trouble

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def theatre(tmp_path: Path) -> AsyncIterator[Theatre]:
    made = await Theatre.open(tmp_path, a=2, b=2)
    yield made
    await made.close()


class Withheld(Trouble):
    """Lets nothing be changed about pods but their place."""

    async def before(self, what: str) -> int:
        if what == "patch Pod":
            raise ForbiddenError('pods "any" is forbidden: cannot patch resource "pods/status"')
        return await super().before(what)


async def begun(theatre: Theatre, name: str, workers: int, **options: Any) -> None:
    await theatre.job(name, workers, **options)
    await theatre.until(lambda: runs(theatre, name, workers))


async def runs(theatre: Theatre, name: str, workers: int) -> bool:
    return await theatre.running(name) == workers == len(await theatre.pods(name))


async def is_settled(theatre: Theatre) -> bool:
    return not (await theatre.ledger()).concessions


def eviction(gang: str) -> Eviction:
    return Eviction(f"ns/{gang}", "preempted", "ns/urgent is more important.", "ns/urgent", 0.0)


async def test_an_evicted_gang_goes_whole_and_comes_back_as_old_as_it_was(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await begun(theatre, "victim", 2)
    before = await theatre.lives("victim")
    scheduler.giving_way.take([eviction("victim")], (), ())
    await theatre.until(lambda: is_settled(theatre))
    await theatre.until(lambda: runs(theatre, "victim", 2))
    assert before.isdisjoint(await theatre.lives("victim"))
    job = await theatre.get("victim")
    assert [one["class"] for one in job["status"]["failures"]] == ["preempted", "preempted"]
    assert not job["status"].get("restarts")
    past = (await theatre.ledger()).pasts[0]
    assert (past.name, past.owner, past.evictions) == ("ns/victim", job["metadata"]["uid"], 1)
    claim = scheduler.board.crowd.seated("ns/victim")
    assert claim is not None
    assert (claim.claim.evictions, claim.claim.arrived) == (1, past.arrived)
    assert await theatre.events("Preempted") == [
        "victim-worker-0: ns/urgent is more important.",
        "victim-worker-1: ns/urgent is more important.",
        "victim: Its pods make room: ns/urgent is more important.",
    ]


async def test_pods_say_that_they_are_taken_away_before_any_of_them_goes(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await begun(theatre, "victim", 2)
    scheduler.giving_way.take([eviction("victim")], (), ())
    await theatre.turn()
    for one in await theatre.pods("victim"):
        found = next(c for c in one["status"]["conditions"] if c["type"] == "DisruptionTarget")
        assert (found["status"], found["reason"]) == ("True", "PreemptionByScheduler")
        assert found["message"] == "ns/urgent is more important."
        assert one["metadata"]["deletionTimestamp"]


async def test_what_nobody_makes_anew_is_evicted_too(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await theatre.pod("alone")
    await theatre.until(lambda: theatre.placed("alone"))
    uid = (await theatre.pods("alone"))[0]["metadata"]["uid"]
    scheduler.giving_way.take([Eviction(uid, "preempted", f"{uid} gives way.", "ns/urgent", 0.0)], (), ())
    await theatre.until(lambda: is_settled(theatre))
    assert await theatre.pods("alone") == []
    assert await theatre.events("Preempted") == ["alone: ns/alone gives way."]
    assert (await theatre.ledger()).pasts == ()


def migration(gang: str) -> Migration:
    return Migration(f"ns/{gang}", (), "ns/large", 0.0)


async def test_a_job_moves_by_a_short_suspension(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await begun(theatre, "mover", 2, annotations={CHECKPOINTS: "true"})
    before = await theatre.lives("mover")
    scheduler.giving_way.take((), [migration("mover")], ())
    await theatre.turn()
    job = await theatre.get("mover")
    assert job["spec"]["runPolicy"]["suspend"] is True
    assert job["metadata"]["annotations"][MOVES_FOR] == "ns/large"
    await theatre.until(lambda: is_settled(theatre))
    await theatre.until(lambda: runs(theatre, "mover", 2))
    job = await theatre.get("mover")
    assert before.isdisjoint(await theatre.lives("mover"))
    assert job["spec"]["runPolicy"]["suspend"] is False
    assert MOVES_FOR not in job["metadata"]["annotations"]
    assert not job["status"].get("failures")
    assert (await theatre.ledger()).pasts[0].evictions == 1


async def test_who_suspends_a_job_that_moves_has_the_last_word(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await begun(theatre, "mover", 2)
    scheduler.giving_way.take((), [migration("mover")], ())
    await theatre.turn()
    await theatre.change("mover", {"metadata": {"annotations": {MOVES_FOR: None}}})
    await theatre.until(lambda: is_settled(theatre))
    await theatre.pass_time(5)
    assert (await theatre.get("mover"))["spec"]["runPolicy"]["suspend"] is True
    assert await theatre.pods("mover") == []


async def test_who_resumes_a_job_that_moves_has_the_last_word(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await begun(theatre, "mover", 2)
    scheduler.giving_way.take((), [migration("mover")], ())
    await theatre.turn()
    await theatre.change("mover", {"spec": {"runPolicy": {"suspend": False}}})
    await theatre.until(lambda: is_settled(theatre))
    await theatre.until(lambda: runs(theatre, "mover", 2))
    assert MOVES_FOR not in (await theatre.get("mover"))["metadata"]["annotations"]


async def test_a_job_that_was_suspended_by_somebody_stays_so(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await begun(theatre, "mover", 2)
    await theatre.change("mover", {"spec": {"runPolicy": {"suspend": True}}})
    scheduler.giving_way.take((), [migration("mover")], ())
    await theatre.until(lambda: is_settled(theatre))
    await theatre.pass_time(5)
    job = await theatre.get("mover")
    assert job["spec"]["runPolicy"]["suspend"] is True
    assert MOVES_FOR not in job["metadata"].get("annotations", {})


ELASTIC = {"elasticPolicy": {"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d"}}


async def test_an_elastic_job_grows_and_gives_up_its_last_workers(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await begun(theatre, "elastic", 2, **ELASTIC)
    seated = scheduler.board.crowd.seated("ns/elastic")
    assert seated is not None
    assert (seated.claim.most, seated.claim.gang.minimum) == (4, 1)
    scheduler.giving_way.take((), (), [Resizing("ns/elastic", 2, 4)])
    await theatre.until(lambda: runs(theatre, "elastic", 4))
    seated = scheduler.board.crowd.seated("ns/elastic")
    assert seated is not None
    leaving = tuple(one.uid for one in seated.claim.gang.members[-2:])
    scheduler.giving_way.take((), (), [Resizing("ns/elastic", 4, 2, leaving, "ns/other")])
    await theatre.until(lambda: runs(theatre, "elastic", 2))
    await theatre.until(lambda: is_settled(theatre))
    assert set(await theatre.placed("elastic")) == {"elastic-worker-0", "elastic-worker-1"}
    assert not (await theatre.get("elastic"))["status"].get("failures")
    assert await theatre.events("Grown") == ["elastic: Grown from 2 to 4 pods: There is room for more of its pods."]
    assert await theatre.events("Shrunk") == ["elastic: Shrunk from 4 to 2 pods: ns/other waits for room."]


async def test_a_job_is_never_resized_beyond_its_own_bounds(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await begun(theatre, "elastic", 2, **ELASTIC)
    scheduler.giving_way.take((), (), [Resizing("ns/elastic", 2, 5)])
    await theatre.until(lambda: is_settled(theatre))
    await theatre.pass_time(3)
    assert await theatre.running("elastic") == 2


async def test_a_gang_that_shrinks_may_be_evicted_meanwhile(theatre: Theatre) -> None:
    scheduler = theatre.reign()
    await begun(theatre, "elastic", 2, **ELASTIC)
    seated = scheduler.board.crowd.seated("ns/elastic")
    assert seated is not None
    last = seated.claim.gang.members[-1].uid
    scheduler.giving_way.take((), (), [Resizing("ns/elastic", 2, 1, (last,), "ns/other")])
    await theatre.turn()
    scheduler.giving_way.take([eviction("elastic")], (), ())
    await theatre.until(lambda: is_settled(theatre))
    await theatre.until(lambda: runs(theatre, "elastic", 1))
    assert scheduler.board.conceding == {}


async def test_a_server_that_does_not_let_us_is_told_of_once_and_nothing_breaks(theatre: Theatre) -> None:
    scheduler = theatre.reign(Withheld())
    await begun(theatre, "victim", 2)
    scheduler.giving_way.take([eviction("victim")], (), ())
    await theatre.pass_time(30)
    assert await theatre.running("victim") == 2
    told = await theatre.events("FailedGivingWay")
    assert len(told) == 1
    assert told[0].startswith("victim-worker-0: the scheduler may not mark pods, so nothing gives way: ")
    await theatre.job("other", 2)
    await theatre.until(lambda: runs(theatre, "other", 2))
