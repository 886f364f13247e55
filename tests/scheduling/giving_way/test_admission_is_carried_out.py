"""What admission decides by itself reaches pods and jobs: gangs are preempted, moved, grown and shrunk, and come back."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.scheduling.names import CHECKPOINTS, MOVES_FOR, PREEMPTIBLE
from corral.placement.admission.cycle import Terms
from tests.scheduling.giving_way.theatre import Theatre

pytestmark = pytest.mark.anyio

MOVING = Terms(placements_per_move=1)
ELASTIC = {"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def theatre(tmp_path: Path) -> AsyncIterator[Theatre]:
    made = await Theatre.open(tmp_path, a=4, b=4)
    yield made
    await made.close()


async def runs(theatre: Theatre, name: str, workers: int) -> bool:
    return await theatre.running(name) == workers == len(await theatre.pods(name))


async def begun(theatre: Theatre, name: str, workers: int, **options: Any) -> None:
    await theatre.job(name, workers, **options)
    await theatre.until(lambda: runs(theatre, name, workers))


async def is_settled(theatre: Theatre) -> bool:
    ledger = await theatre.ledger()
    return not ledger.concessions and not ledger.decisions


def conditions(job: Object) -> dict[str, str]:
    return {one["type"]: one["status"] for one in job["status"]["conditions"]}


@pytest.mark.parametrize("policy", ["Never", "OnFailure", "ExitCode"])
async def test_an_important_gang_preempts_no_more_than_it_needs(theatre: Theatre, policy: str) -> None:
    """Invariant I7: whatever the restart policy, the job that gave way has not failed."""
    scheduler = theatre.reign()
    names = [f"low-{number}" for number in range(4)]
    for name in names:
        await begun(theatre, name, 2, policy=policy)
        await theatre.pass_time(10)
    arrived = scheduler.board.crowd.seated("ns/low-3")
    assert arrived is not None
    before = {name: await theatre.lives(name) for name in names}
    await theatre.job("urgent", 2, priority=10)
    await theatre.until(lambda: runs(theatre, "urgent", 2))
    await theatre.until(lambda: is_settled(theatre))
    touched = [name for name in names if await theatre.lives(name) != before[name]]
    assert touched == ["low-3"], "it had run for the shortest time"
    await theatre.pass_time(30)
    assert await theatre.placed("low-3") == {}
    job = await theatre.get("low-3")
    assert "Failed" not in conditions(job)
    assert [one["class"] for one in job["status"]["failures"]] == ["preempted", "preempted"]
    assert not job["status"].get("restarts")
    assert scheduler.board.refusal_of("ns/low-3") is not None
    await theatre.end("urgent")
    await theatre.until(lambda: runs(theatre, "low-3", 2))
    back = scheduler.board.crowd.seated("ns/low-3")
    assert back is not None
    assert (back.claim.arrived, back.claim.evictions) == (arrived.claim.arrived, 1)


async def test_a_gang_that_does_not_allow_it_is_not_preempted(theatre: Theatre) -> None:
    theatre.reign()
    await begun(theatre, "kept", 8, annotations={PREEMPTIBLE: "false"})
    before = await theatre.lives("kept")
    await theatre.job("urgent", 2, priority=10)
    await theatre.pass_time(60)
    assert await theatre.lives("kept") == before
    assert await theatre.placed("urgent") == {}


async def test_a_gang_that_came_back_is_left_alone_for_a_while(theatre: Theatre) -> None:
    theatre.reign(terms=Terms(rest=60.0))
    await begun(theatre, "low", 8)
    await theatre.pass_time(10)
    await begun(theatre, "urgent", 2, priority=10)
    await theatre.end("urgent")
    await theatre.until(lambda: runs(theatre, "low", 8))
    before = await theatre.lives("low")
    await theatre.job("again", 2, priority=10)
    await theatre.pass_time(40)
    assert await theatre.lives("low") == before
    await theatre.until(lambda: runs(theatre, "again", 2))


async def test_a_job_that_checkpoints_moves_so_that_a_larger_pod_fits(theatre: Theatre) -> None:
    theatre.reign(terms=MOVING)
    await begun(theatre, "left", 1, gpus=3)
    await begun(theatre, "right", 1, gpus=3)
    for name in ("here", "there"):
        await begun(theatre, name, 1, annotations={CHECKPOINTS: "true"})
    await theatre.end("left")
    await theatre.end("right")
    await theatre.pass_time(10)
    places = {name: (await theatre.placed(name))[f"{name}-worker-0"] for name in ("here", "there")}
    assert set(places.values()) == {"a", "b"}
    await theatre.job("large", 1, gpus=4)
    await theatre.until(lambda: runs(theatre, "large", 1))
    await theatre.until(lambda: is_settled(theatre))
    for name in places:
        await theatre.until(lambda name=name: runs(theatre, name, 1))  # type: ignore[misc]
    where = {(await theatre.placed(name))[f"{name}-worker-0"] for name in places}
    assert len(where) == 1
    moved = await theatre.events("Moved")
    assert len(moved) == 1
    for name in places:
        job = await theatre.get(name)
        assert job["spec"]["runPolicy"].get("suspend", False) is False
        assert MOVES_FOR not in job["metadata"].get("annotations", {})
        assert "Failed" not in conditions(job)


async def test_no_more_gangs_move_than_placements_allow(theatre: Theatre) -> None:
    theatre.reign(terms=Terms(placements_per_move=50))
    await begun(theatre, "left", 1, gpus=3)
    await begun(theatre, "right", 1, gpus=3)
    for name in ("here", "there"):
        await begun(theatre, name, 1, annotations={CHECKPOINTS: "true"})
    await theatre.end("left")
    await theatre.end("right")
    await theatre.job("large", 1, gpus=4)
    await theatre.pass_time(60)
    assert await theatre.placed("large") == {}
    assert await theatre.events("Moving") == []


def environment(pod: Object) -> dict[str, str]:
    return {one["name"]: one.get("value", "") for one in pod["spec"]["containers"][0]["env"]}


async def test_an_elastic_job_grows_into_what_is_idle_and_shrinks_when_others_wait(theatre: Theatre) -> None:
    theatre.reign(terms=Terms(calm=20.0))
    await begun(theatre, "elastic", 2, elasticPolicy=ELASTIC)
    await theatre.until(lambda: runs(theatre, "elastic", 4))
    for pod in await theatre.pods("elastic"):
        said = environment(pod)
        assert (said["PET_NNODES"], said["PET_RDZV_BACKEND"]) == ("1:4", "c10d")
    before = {one["metadata"]["name"]: one["metadata"]["uid"] for one in await theatre.pods("elastic")}
    await theatre.job("other", 7)
    await theatre.until(lambda: runs(theatre, "other", 7))
    after = {one["metadata"]["name"]: one["metadata"]["uid"] for one in await theatre.pods("elastic")}
    assert after == {"elastic-worker-0": before["elastic-worker-0"]}
    job = await theatre.get("elastic")
    assert job["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 1
    assert not job["status"].get("failures")
    assert conditions(job)["Running"] == "True"
    await theatre.job("more", 1)
    await theatre.pass_time(40)
    assert await theatre.placed("more") == {}, "below its least number it never goes"
    assert await theatre.running("elastic") == 1
    await theatre.end("other")
    await theatre.until(lambda: runs(theatre, "more", 1))
    await theatre.until(lambda: runs(theatre, "elastic", 4))


async def test_who_is_scaled_by_hand_keeps_that_size_for_a_while_and_nobody_fights(theatre: Theatre) -> None:
    theatre.reign(terms=Terms(calm=60.0))
    await begun(theatre, "elastic", 4, elasticPolicy=ELASTIC)
    await theatre.pass_time(70)
    await theatre.change("elastic", {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 2}}}})
    await theatre.until(lambda: runs(theatre, "elastic", 2))
    await theatre.pass_time(40)
    assert await theatre.running("elastic") == 2
    assert await theatre.events("Grown") == []


async def test_a_job_that_waits_starts_when_it_is_made_small_enough(theatre: Theatre) -> None:
    theatre.reign()
    await theatre.job("wide", 10)
    await theatre.pass_time(5)
    assert await theatre.placed("wide") == {}
    await theatre.change("wide", {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 6}}}})
    await theatre.until(lambda: runs(theatre, "wide", 6))


async def test_a_member_that_is_made_anew_knows_how_large_its_job_is_by_now(theatre: Theatre) -> None:
    theatre.reign()
    await begun(theatre, "shrunk", 6)
    await theatre.change("shrunk", {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 2}}}})
    await theatre.until(lambda: runs(theatre, "shrunk", 2))
    await theatre.fail("shrunk-worker-1")
    await theatre.until(lambda: runs(theatre, "shrunk", 2))
