"""Preemption and reclaim: who gives way, and who never does."""

from corral.placement.admission.cycle import Cycle, Terms
from corral.placement.admission.queues import QueueTerms
from tests.domain.placement.admission.stage import Stage, gpus


def evicted(cycle: Cycle) -> list[tuple[str, str]]:
    """Returns who gives way, and why."""
    return [(one.gang, one.reason) for one in cycle.evictions]


def test_a_higher_priority_preempts_and_starts_when_the_victim_has_left() -> None:
    stage = Stage(8)
    stage.ask("low", gpus=8)
    assert stage.starts() == ["low"]
    stage.ask("high", gpus=8, priority=1)
    cycle = stage.cycle(after=5)
    assert evicted(cycle) == [("low", "preempted")]
    assert cycle.evictions[0].lost == 40.0
    assert [one.code for one in cycle.refused] == ["making-room"]
    assert stage.cycle(after=1) == Cycle()
    stage.desk.leave("low")
    assert stage.starts() == ["high"]


def test_equal_priority_never_preempts() -> None:
    stage = Stage(8)
    stage.ask("first", gpus=8)
    assert stage.starts() == ["first"]
    stage.ask("second", gpus=8)
    assert evicted(stage.cycle(after=1000)) == []


def test_who_may_not_be_evicted_is_not() -> None:
    stage = Stage(8)
    stage.ask("low", gpus=8, is_preemptible=False)
    assert stage.starts() == ["low"]
    stage.ask("high", gpus=8, priority=1)
    assert evicted(stage.cycle(after=5)) == []


def test_the_victims_are_those_in_whose_place_the_gang_really_goes() -> None:
    """kueue: preemption frees 8 GPUs on four nodes, and the pod that needs 8 on one stays pending."""
    stage = Stage(8, 8, 8, 8)
    for index in range(16):
        stage.ask(f"g{index}", gpus=2)
    assert len(stage.starts()) == 16
    stage.ask("whole", gpus=8, priority=1)
    cycle = stage.cycle(after=60)
    assert len(cycle.evictions) == 4
    nodes = {seat.node for one in cycle.evictions for seat in stage.desk.ground.running[one.gang].seats}
    assert len(nodes) == 1
    for one in cycle.evictions:
        stage.desk.leave(one.gang)
    assert stage.starts() == ["whole"]


def test_of_several_sets_the_one_goes_that_loses_least_work() -> None:
    stage = Stage(8, 8)
    stage.ask("old", gpus=8)
    assert stage.starts() == ["old"]
    stage.now = 100.0
    stage.ask("young", gpus=8)
    assert stage.starts() == ["young"]
    stage.ask("high", gpus=4, priority=1)
    assert evicted(stage.cycle(after=10)) == [("young", "preempted")]


def test_checkpoints_make_a_victim_cheaper() -> None:
    stage = Stage(8, 8)
    stage.ask("saves", gpus=8, checkpoints=True)
    assert stage.starts() == ["saves"]
    stage.now = 5000.0
    stage.ask("forgets", gpus=8)
    assert stage.starts() == ["forgets"]
    stage.ask("high", gpus=8, priority=1)
    assert evicted(stage.cycle(after=1000)) == [("saves", "preempted")]


def test_nobody_takes_the_room_that_is_made_for_somebody() -> None:
    stage = Stage(8)
    for index in range(8):
        stage.ask(f"low{index}")
    stage.starts()
    stage.ask("high", gpus=4, priority=1)
    victims = [one.gang for one in stage.cycle(after=5).evictions]
    assert len(victims) == 4
    for one in victims[:3]:
        stage.desk.leave(one)
        stage.ask(f"thief-{one}", run_time=1)
        assert stage.starts() == []
    stage.desk.leave(victims[3])
    assert stage.starts() == ["high"]


def test_those_who_leave_already_are_enough_for_two() -> None:
    stage = Stage(8)
    stage.ask("low", gpus=8)
    stage.starts()
    stage.ask("one", gpus=4, priority=1)
    assert evicted(stage.cycle(after=5)) == [("low", "preempted")]
    stage.ask("two", gpus=4, priority=1)
    assert evicted(stage.cycle(after=20)) == []
    stage.desk.leave("low")
    assert sorted(stage.starts()) == ["one", "two"]


def test_a_queue_takes_back_what_it_is_guaranteed_from_those_who_borrowed() -> None:
    queues = (QueueTerms("mine", guarantee=gpus(4)), QueueTerms("other", guarantee=gpus(4)))
    stage = Stage(8, queues=queues)
    for index in range(8):
        stage.ask(f"o{index}", queue="other", priority=10)
        stage.now += 1
        stage.starts()
    stage.ask("m", gpus=4, queue="mine")
    cycle = stage.cycle(after=5)
    assert sorted(evicted(cycle)) == [(f"o{index}", "reclaimed") for index in range(4, 8)]


def test_a_queue_takes_back_nothing_beyond_its_guarantee() -> None:
    stage = Stage(8, queues=(QueueTerms("mine", guarantee=gpus(4)), QueueTerms("other")))
    stage.ask("o", gpus=8, queue="other")
    stage.starts()
    stage.ask("m", gpus=5, queue="mine")
    assert evicted(stage.cycle(after=5)) == []


def test_whole_shares_are_taken_back_when_the_terms_say_so() -> None:
    stage = Stage(8, queues=(QueueTerms("a"), QueueTerms("b")), terms=Terms(reclaims="share"))
    for index in range(8):
        stage.ask(f"a{index}", queue="a")
    stage.starts()
    stage.ask("b", gpus=4, queue="b")
    assert len(stage.cycle(after=5).evictions) == 4


def test_a_gang_that_was_evicted_runs_undisturbed_for_a_while() -> None:
    stage = Stage(8, terms=Terms(rest=100))
    stage.ask("low", gpus=8, evictions=2)
    stage.starts()
    stage.ask("high", gpus=8, priority=1)
    assert evicted(stage.cycle(after=150)) == []
    assert evicted(stage.cycle(after=50)) == [("low", "preempted")]


def test_preempted_and_preempting_gangs_do_not_go_round_in_circles() -> None:
    """kueue: preempt, admit, preempt, without end, when queues borrow from each other."""
    queues = (
        QueueTerms("a", guarantee=gpus(3)),
        QueueTerms("b", guarantee=gpus(3)),
        QueueTerms("c", guarantee=gpus(2)),
    )
    stage = Stage(8, queues=queues, terms=Terms(rest=0))
    claims = {
        one.uid: one
        for one in (
            stage.ask("a-big", gpus=6, queue="a", priority=5),
            stage.ask("a-small", gpus=3, queue="a"),
            stage.ask("b-big", gpus=5, queue="b", priority=5),
            stage.ask("b-small", gpus=3, queue="b"),
            stage.ask("c-small", gpus=2, queue="c"),
        )
    }
    evictions = 0
    for _ in range(40):
        for one in stage.cycle(after=30).evictions:
            evictions += 1
            stage.desk.leave(one.gang)
            stage.desk.wait(claims[one.gang])
    assert evictions <= 2
    assert len(stage.running) >= 2


def test_why_somebody_gives_way_is_told_in_words_that_name_no_queue_where_there_is_none() -> None:
    def told(of: str, by: str, **more: int) -> str:
        stage = Stage(8, queues=(QueueTerms("team", guarantee=gpus(8)), QueueTerms("guests")))
        stage.ask("first", gpus=8, queue=of)
        assert stage.starts() == ["first"]
        stage.ask("then", gpus=8, queue=by, **more)
        return stage.cycle(after=5).evictions[0].sentence

    assert told("guests", "team") == "Queue team takes back for then what queue guests borrowed."
    assert told("", "team") == "Queue team takes back for then what a job in no queue uses."
    assert told("team", "team", priority=1) == "then has a higher priority in queue team."
    assert told("", "", priority=1) == "then has a higher priority."
