"""Who starts first: priority, then age, then patience; whole gangs or none."""

from corral.placement.admission.cycle import Terms
from corral.placement.admission.queues import QueueTerms
from tests.domain.placement.admission.stage import Stage, gpus


def test_the_older_of_two_equal_gangs_starts_first() -> None:
    stage = Stage(8)
    stage.ask("early", gpus=8)
    stage.now = 5.0
    stage.ask("late", gpus=8)
    assert stage.starts() == ["early"]


def test_higher_priority_goes_before_age() -> None:
    stage = Stage(8)
    stage.ask("old", gpus=8)
    stage.now = 5.0
    stage.ask("important", gpus=8, priority=10)
    assert stage.starts() == ["important"]


def test_a_gang_that_waited_longer_than_patience_goes_before_any_priority() -> None:
    stage = Stage(8, terms=Terms(patience=100))
    stage.ask("old", gpus=8)
    stage.now = 60.0
    stage.ask("important", gpus=8, priority=10)
    assert stage.starts(after=40) == ["old"]


def test_a_queue_by_arrival_does_not_look_at_priority() -> None:
    stage = Stage(8, queues=(QueueTerms("q", order="arrival"),))
    stage.ask("old", gpus=8, queue="q")
    stage.now = 5.0
    stage.ask("important", gpus=8, priority=10, queue="q")
    assert stage.starts() == ["old"]


def test_a_gang_starts_whole_or_not_at_all() -> None:
    """volcano, scheduler-plugins: nine of ten pods hold what nobody can use."""
    stage = Stage(8, 1)
    stage.ask("ten", pods=10)
    assert stage.starts() == []
    assert stage.desk.ground.left["gpu"] == 9000
    stage.ask("nine", pods=9)
    assert stage.starts() == ["nine"]


def test_interleaved_gangs_do_not_lock_each_other() -> None:
    stage = Stage(8, 8)
    for name in "abcd":
        stage.ask(name, pods=3, gpus=4)
    started = []
    while stage.desk.line.queues():
        (one,) = stage.starts()
        started.append(one)
        stage.desk.leave(one)
    assert started == ["a", "b", "c", "d"]


def test_a_gang_with_missing_pods_waits_and_is_in_nobodys_way() -> None:
    stage = Stage(8)
    stage.ask("half", pods=1, gpus=8, minimum=2)
    stage.ask("whole", gpus=8)
    cycle = stage.cycle()
    assert [one.plan.gang for one in cycle.admitted] == ["whole"]
    assert [(one.gang, one.code) for one in cycle.refused] == [("half", "members-missing")]


def test_more_members_than_the_minimum_start_as_far_as_there_is_room() -> None:
    stage = Stage(8)
    stage.ask("elastic", pods=10, minimum=2)
    (admitted,) = stage.cycle().admitted
    assert len(admitted.plan.seats) == 8


def test_no_more_than_the_asked_number_starts_in_one_cycle() -> None:
    stage = Stage(8)
    for index in range(5):
        stage.ask(f"g{index}")
    assert len(stage.cycle(most=2).admitted) == 2
    assert len(stage.cycle(most=2).admitted) == 2
    assert len(stage.cycle(most=2).admitted) == 1


def test_what_left_makes_room_for_those_who_were_refused() -> None:
    stage = Stage(8)
    stage.ask("first", gpus=8)
    stage.ask("second", gpus=8)
    assert stage.starts() == ["first"]
    assert stage.starts() == []
    stage.desk.leave("first")
    assert stage.starts() == ["second"]


def test_a_limit_holds_for_all_queues_below_it() -> None:
    queues = (QueueTerms("team", limit=gpus(4)), QueueTerms("a", "team"), QueueTerms("b", "team"))
    stage = Stage(8, queues=queues)
    stage.ask("one", gpus=3, queue="a")
    stage.ask("two", gpus=2, queue="b")
    cycle = stage.cycle()
    assert [one.plan.gang for one in cycle.admitted] == ["one"]
    (refused,) = cycle.refused
    assert (refused.gang, refused.code) == ("two", "quota-limit")
    assert refused.sentence == "It needs 2 GPUs; the limit of queue team leaves 1 GPU."


def test_the_same_reason_is_told_once() -> None:
    stage = Stage(8)
    stage.ask("big", gpus=9)
    assert len(stage.cycle().refused) == 1
    assert stage.cycle(after=5).refused == ()
