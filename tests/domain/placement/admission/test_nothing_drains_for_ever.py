"""Room drains for the first in line while nobody knows when it can start, but not without end, and not so that it starves."""

from corral.placement.admission.cycle import Terms
from corral.placement.admission.queues import QueueTerms
from tests.domain.placement.admission.stage import Stage, gpus

HOUR = 3600.0
DRAINS = Terms().drains


def _behind_a_service() -> Stage:
    """Returns a cluster on which a gang that needs all of it waits behind a service that never ends."""
    stage = Stage(*[8] * 8, terms=Terms(patience=1e9))
    stage.ask("service", gpus=8)
    assert stage.starts() == ["service"]
    stage.ask("whole", pods=8, gpus=8)
    assert stage.starts(after=1) == []
    for index in range(20):
        stage.ask(f"small-{index}")
    return stage


def test_small_gangs_wait_for_a_gang_that_may_start_soon_and_are_told_how_long() -> None:
    stage = _behind_a_service()

    cycle = stage.cycle(after=DRAINS - 60)

    assert cycle.admitted == ()
    said = {one.sentence for one in cycle.refused if one.gang.startswith("small")}
    assert said == {"What is free is kept for whole, which is before it, for 4 h at most."}


def test_when_room_has_drained_in_vain_others_pass() -> None:
    stage = _behind_a_service()
    stage.cycle(after=1)

    assert len(stage.starts(after=DRAINS)) == 20


def test_it_drains_again_for_longer_until_the_gang_has_started() -> None:
    """Small gangs of fifteen hours come all the time: four hours of draining are too few, and sixteen are enough."""
    stage = Stage(*[8] * 2, terms=Terms(patience=1e9))
    ends: list[tuple[float, str]] = []
    for hour in range(400):
        for at, uid in [one for one in ends if one[0] <= stage.now]:
            ends.remove((at, uid))
            stage.desk.leave(uid)
        if hour == 1:
            stage.ask("whole", pods=2, gpus=8)
        for index in range(16):
            stage.ask(f"small-{hour}-{index}")
        started = stage.starts(after=HOUR)
        ends += [(stage.now + 15 * HOUR, uid) for uid in started]
        if "whole" in started:
            return
    raise AssertionError("it starved")


def test_over_whole_rounds_a_quarter_of_the_time_drains() -> None:
    stage = _behind_a_service()
    rounds = int(4 * DRAINS * (1 + 2 + 4 + 8) / HOUR)
    idle = 0
    for hour in range(rounds):
        for uid in [one for one in stage.running if one != "service"]:
            stage.desk.leave(uid)
        stage.ask(f"more-{hour}")
        idle += not stage.starts(after=HOUR)
    assert idle <= 0.26 * rounds


def test_quota_that_has_drained_in_vain_is_used_by_others() -> None:
    stage = Stage(*[8] * 4, queues=(QueueTerms("a", limit=gpus(16)),), terms=Terms(patience=1e9))
    stage.ask("service", gpus=8, queue="a")
    assert stage.starts() == ["service"]
    stage.ask("whole", pods=2, gpus=8, queue="a")
    assert stage.starts(after=1) == []
    stage.ask("small", queue="a")

    assert stage.starts(after=DRAINS - 1) == []
    assert stage.starts(after=1) == ["small"]
