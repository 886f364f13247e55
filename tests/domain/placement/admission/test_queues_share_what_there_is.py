"""Quotas, borrowing, lending and fair shares between queues."""

from corral.placement.admission.claims import Waiting
from corral.placement.admission.queues import QueueTerms
from tests.domain.placement.admission.stage import Stage, gang, gpus, node


def test_idle_gpus_are_used_whatever_the_weights_are() -> None:
    """volcano: a GPU stays idle because of the weights of queues on another resource."""
    stage = Stage(8, queues=(QueueTerms("cpu-heavy", weight=1), QueueTerms("idle", weight=100)))
    for index in range(8):
        stage.ask(f"g{index}", queue="cpu-heavy")
    assert len(stage.starts()) == 8


def test_indivisible_gangs_do_not_block_each_other_over_shares_that_fit_neither() -> None:
    """volcano: two queues deserve 1.5 of 3 GPUs each, both jobs need 2, and nothing runs."""
    queues = (QueueTerms("a", guarantee=gpus(1.5)), QueueTerms("b", guarantee=gpus(1.5)))
    stage = Stage(3, queues=queues)
    stage.ask("one", gpus=2, queue="a")
    stage.ask("two", gpus=2, queue="b")
    cycle = stage.cycle()
    assert [one.plan.gang for one in cycle.admitted] == ["one"]
    for _ in range(5):
        cycle = stage.cycle(after=60)
        assert (cycle.admitted, cycle.evictions) == ((), ())


def test_queues_take_turns_by_weight() -> None:
    stage = Stage(6, queues=(QueueTerms("a", weight=1), QueueTerms("b", weight=2)))
    for index in range(6):
        stage.ask(f"a{index}", queue="a")
        stage.ask(f"b{index}", queue="b")
    assert len([one for one in stage.starts() if one.startswith("b")]) == 4


def test_shares_are_counted_by_the_resource_of_which_a_queue_uses_most() -> None:
    """Dominant resource fairness: cores of one queue weigh like GPUs of the other."""
    stage = Stage(queues=(QueueTerms("gpu"), QueueTerms("cpu")))
    stage.desk.put_node(node("n0", gpus=8, cpu=16_000))
    for index in range(8):
        stage.ask(f"g{index}", gpus=1, queue="gpu")
        stage.desk.wait(Waiting(gang(f"c{index}", gpus=0, cpu=4000, queue="cpu"), 0.0))
    started = stage.starts()
    assert len([one for one in started if one[0] == "c"]) == 3
    assert len([one for one in started if one[0] == "g"]) == 4


def test_shares_hold_at_every_level_of_the_tree() -> None:
    queues = (
        QueueTerms("left"),
        QueueTerms("right"),
        QueueTerms("l1", "left"),
        QueueTerms("l2", "left"),
        QueueTerms("r1", "right"),
    )
    stage = Stage(8, queues=queues)
    for index in range(8):
        for name in ("l1", "l2", "r1"):
            stage.ask(f"{name}-{index}", queue=name)
    started = stage.starts()
    assert [len([one for one in started if one.startswith(name)]) for name in ("l1", "l2", "r1")] == [2, 2, 4]


def test_a_queue_below_its_guarantee_goes_first() -> None:
    stage = Stage(4, queues=(QueueTerms("sure", guarantee=gpus(4)), QueueTerms("other", weight=100)))
    for index in range(4):
        stage.ask(f"o{index}", queue="other")
        stage.ask(f"s{index}", queue="sure")
    assert stage.starts() == ["s0", "s1", "s2", "s3"]


def test_what_a_queue_does_not_lend_stays_free_for_it() -> None:
    queues = (QueueTerms("sure", guarantee=gpus(4), lending=gpus(1)), QueueTerms("other"))
    stage = Stage(8, queues=queues)
    for index in range(8):
        stage.ask(f"o{index}", queue="other")
    cycle = stage.cycle()
    assert len(cycle.admitted) == 5
    assert cycle.refused[0].code == "quota-lending"
    stage.ask("mine", gpus=3, queue="sure")
    assert stage.starts() == ["mine"]


def test_a_queue_borrows_no_more_than_it_may() -> None:
    stage = Stage(8, queues=(QueueTerms("q", guarantee=gpus(2), borrowing=gpus(1)),))
    for index in range(4):
        stage.ask(f"g{index}", queue="q")
    cycle = stage.cycle()
    assert len(cycle.admitted) == 3
    assert cycle.refused[0].sentence == "It needs 1 GPU; what queue q may have and borrow leaves 0 GPUs."


def test_an_unknown_queue_is_named() -> None:
    stage = Stage(8)
    stage.ask("lost", queue="nowhere")
    (refused,) = stage.cycle().refused
    assert (refused.code, refused.sentence) == ("queue-missing", "There is no queue nowhere: there is none.")
    stage.desk.put_queue(QueueTerms("nowhere"))
    assert stage.starts() == ["lost"]


def test_the_quota_of_a_namespace_holds_for_pods_that_do_not_exist_yet() -> None:
    stage = Stage(8)
    stage.desk.put_namespace("team", {"gpu": 2000})
    stage.ask("made", gpus=4, namespace="team")
    stage.ask("unmade", gpus=3, namespace="team", is_made=False)
    cycle = stage.cycle()
    assert [one.plan.gang for one in cycle.admitted] == ["made"]
    (refused,) = cycle.refused
    assert (refused.code, refused.free) == ("quota-namespace", (("gpu", 2000),))


def test_a_queue_that_comes_later_keeps_what_its_gangs_hold() -> None:
    stage = Stage(8, queues=(QueueTerms("q"),))
    stage.ask("one", gpus=3, queue="q")
    assert stage.starts() == ["one"]
    stage.desk.put_queue(QueueTerms("parent", limit=gpus(4)))
    stage.desk.put_queue(QueueTerms("q", "parent"))
    stage.ask("two", gpus=2, queue="q")
    assert stage.starts() == []


def test_a_priority_without_a_queue_counts_for_nothing_beside_queues() -> None:
    stage = Stage(4, queues=(QueueTerms("team", guarantee=gpus(2)),))
    stage.ask("old", gpus=2, queue="team")
    stage.ask("borrows", gpus=2, queue="team")
    stage.starts()
    stage.ask("urgent", gpus=2, priority=1000)
    assert (stage.cycle(after=60).evictions, stage.running) == ((), ["borrows", "old"])
    stage.desk.leave("borrows")
    stage.desk.leave("old")
    stage.ask("more", gpus=2, priority=1000)
    assert sorted(stage.starts(after=60)) == ["more", "urgent"]
    stage.ask("comes-home", gpus=2, queue="team")
    (eviction,) = stage.cycle(after=60).evictions
    assert (eviction.reason, eviction.beneficiary) == ("reclaimed", "comes-home")


def test_what_is_not_lent_is_lent_to_nobody_neither_without_a_queue_nor_in_the_one_above() -> None:
    queues = (QueueTerms("above"), QueueTerms("keeps", "above", guarantee=gpus(2), lending=gpus(0)))
    for queue in ("", "above"):
        stage = Stage(4, queues=queues)
        stage.ask("too-much", gpus=3, queue=queue)
        assert stage.starts() == []
        refused = stage.desk.refusal("too-much")
        assert refused is not None
        assert refused.code == "quota-lending"
        stage.ask("fits", gpus=2, queue=queue)
        assert stage.starts() == ["fits"]
