"""Reservation and backfill: others pass the first that waits only where they do not delay it."""

from corral.placement.admission.queues import ROOT, QueueTerms
from tests.domain.placement.admission.stage import Stage, gpus


def occupied(*sizes: int, run_time: float | None = 100.0) -> Stage:
    """Returns nodes of which the first is half taken for some time."""
    stage = Stage(*sizes)
    stage.ask("running", gpus=4, run_time=run_time)
    assert stage.starts() == ["running"]
    return stage


def test_the_first_that_waits_has_a_reservation() -> None:
    stage = occupied(8)
    stage.ask("big", gpus=8, run_time=50)
    reservation = stage.cycle().reservation
    assert reservation is not None
    assert (reservation.gang, reservation.starts, reservation.after) == ("big", 100.0, ("running",))


def test_a_short_gang_passes_and_a_long_one_does_not() -> None:
    stage = occupied(8)
    stage.ask("big", gpus=8, run_time=50)
    stage.ask("long", gpus=2, run_time=101)
    stage.ask("short", gpus=2, run_time=100)
    cycle = stage.cycle()
    assert [(one.plan.gang, one.passed) for one in cycle.admitted] == [("short", "big")]
    assert ("long", "reserved") in [(one.gang, one.code) for one in cycle.refused]


def test_a_gang_of_unknown_length_does_not_pass() -> None:
    stage = occupied(8)
    stage.ask("big", gpus=8, run_time=50)
    stage.ask("unknown", gpus=1)
    assert stage.starts() == []


def test_a_long_gang_passes_beside_what_is_kept() -> None:
    stage = occupied(8, 8)
    stage.ask("whole", gpus=8, run_time=10)
    assert stage.starts() == ["whole"]
    stage.ask("big", gpus=8, run_time=50)
    cycle = stage.cycle()
    assert cycle.reservation is not None
    assert cycle.reservation.starts == 10.0
    stage.ask("long", gpus=4, run_time=10_000)
    assert stage.starts() == ["long"]
    stage.desk.leave("whole")
    assert stage.starts(after=10) == ["big"]


def test_when_nobody_knows_when_the_first_starts_what_it_needs_drains() -> None:
    stage = occupied(8, run_time=None)
    stage.desk.put_queue(QueueTerms(ROOT, stretch=0))
    stage.ask("big", gpus=8)
    stage.ask("short", gpus=1, run_time=1)
    assert stage.starts() == []
    stage.desk.leave("running")
    assert stage.starts() == ["big"]


def test_a_reservation_that_came_too_late_trusts_no_run_time_any_more() -> None:
    """Gangs that run longer than they said would otherwise put off the first one for ever."""
    stage = occupied(8)
    stage.ask("big", gpus=8, run_time=50)
    stage.ask("liar", gpus=4, run_time=10)
    assert stage.starts() == ["liar"]
    stage.desk.leave("running")
    assert stage.starts(after=100) == []
    stage.ask("another", gpus=4, run_time=1)
    assert stage.starts(after=51) == []
    stage.desk.leave("liar")
    assert stage.starts(after=1) == ["big"]


def test_a_gang_that_fits_nowhere_keeps_nothing_for_itself() -> None:
    stage = occupied(8)
    stage.ask("impossible", gpus=9, run_time=50)
    stage.ask("small", gpus=4, run_time=1000)
    cycle = stage.cycle()
    assert cycle.reservation is None
    assert [one.plan.gang for one in cycle.admitted] == ["small"]


def test_somebody_more_important_takes_what_was_kept() -> None:
    stage = occupied(8)
    stage.ask("big", gpus=8, run_time=50)
    assert stage.starts() == []
    stage.ask("important", gpus=4, run_time=1000, priority=1)
    assert stage.starts() == ["important"]


def test_small_gangs_do_not_starve_a_big_one_that_waits_for_quota() -> None:
    stage = Stage(64, queues=(QueueTerms("q", limit=gpus(8)),))
    stage.ask("running", gpus=4, run_time=100, queue="q")
    assert stage.starts() == ["running"]
    stage.ask("big", gpus=8, run_time=10, queue="q")
    stage.ask("long", gpus=2, run_time=1000, queue="q")
    stage.ask("short", gpus=2, run_time=50, queue="q")
    stage.ask("other", gpus=2, run_time=1000)
    assert sorted(stage.starts()) == ["other", "short"]
    stage.desk.leave("short")
    stage.desk.leave("running")
    assert stage.starts(after=100) == ["big"]


def test_a_queue_without_passing_goes_strictly_one_after_the_other() -> None:
    stage = Stage(8, queues=(QueueTerms("q", passing=False), QueueTerms("r")))
    stage.ask("running", gpus=4, run_time=100)
    assert stage.starts() == ["running"]
    stage.ask("big", gpus=8, run_time=50, queue="q")
    stage.ask("short", gpus=1, run_time=1, queue="q")
    stage.ask("elsewhere", gpus=1, run_time=1, queue="r")
    assert stage.starts() == ["elsewhere"]


def test_a_long_gang_lets_shorter_ones_pass_for_as_long_as_it_runs() -> None:
    stage = Stage(8)
    stage.ask("long", gpus=8, run_time=1000)
    stage.now = 500.0
    stage.ask("soon", gpus=8, run_time=100)
    stage.now = 950.0
    stage.ask("late", gpus=8, run_time=100)
    order = []
    for _ in range(3):
        (one,) = stage.starts()
        order.append(one)
        stage.desk.leave(one)
    assert order == ["soon", "long", "late"]
