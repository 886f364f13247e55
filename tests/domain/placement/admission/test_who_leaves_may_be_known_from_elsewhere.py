"""Who was told to leave by an earlier scheduler, and who stays although it was told to leave."""

from tests.domain.placement.admission.stage import Stage


def full_of(stage: Stage, *gangs: str) -> None:
    for one in gangs:
        stage.ask(one, pods=4)
    assert stage.starts() == list(gangs)
    stage.now += 100.0


def test_a_gang_that_leaves_already_is_enough_room_for_another() -> None:
    """After a restart nobody else is evicted as long as somebody is on the way out."""
    stage = Stage(8)
    full_of(stage, "a", "b")
    stage.desk.told_to_leave("a", {f"a/{index}" for index in range(4)})
    stage.ask("urgent", pods=4, priority=5)
    cycle = stage.cycle()
    assert (cycle.evictions, cycle.admitted) == ((), ())
    assert [one.code for one in cycle.refused] == ["making-room"]
    stage.desk.leave("a")
    assert stage.starts() == ["urgent"]


def test_without_that_word_somebody_else_is_evicted() -> None:
    stage = Stage(8)
    full_of(stage, "a", "b")
    stage.ask("urgent", pods=4, priority=5)
    assert len(stage.cycle().evictions) == 1


def test_room_is_not_kept_where_somebody_stays_after_all() -> None:
    stage = Stage(4)
    full_of(stage, "a")
    stage.ask("urgent", pods=4, priority=5)
    assert [one.gang for one in stage.cycle().evictions] == ["a"]
    stage.desk.told_to_leave("a", ())
    assert not stage.desk.ground.promises
    assert [one.gang for one in stage.cycle(after=20.0).evictions] == ["a"]


def test_pods_that_leave_one_after_the_other_are_no_news() -> None:
    stage = Stage(4)
    full_of(stage, "a")
    stage.ask("urgent", pods=4, priority=5)
    stage.cycle()
    stage.desk.told_to_leave("a", {f"a/{index}" for index in range(4)})
    assert list(stage.desk.ground.promises) == ["urgent"]
    stage.desk.leave("a")
    assert stage.starts() == ["urgent"]


def test_whoever_does_not_run_is_told_nothing() -> None:
    stage = Stage(4)
    stage.desk.told_to_leave("nobody", {"nobody/0"})
    assert not stage.desk.ground.leaving
