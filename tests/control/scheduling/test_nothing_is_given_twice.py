"""What is held stays held: through late news, lost answers and repeated events, until the pod has ended or is gone."""

import random
import time
from typing import Any

import pytest

from corral.control.scheduling.board import Board
from corral.control.scheduling.promises import State
from corral.kinds.objects import key_of
from corral.kinds.scheduling.ledger import Decision
from corral.kinds.scheduling.names import CHOSEN_DEVICES
from corral.kinds.scheduling.pod_view import SchedulingPod
from tests.control.scheduling.scene import (
    EVERYTHING,
    GPU,
    NOW,
    board,
    bound,
    carried_out,
    changed,
    decide,
    node,
    placed,
    pod,
)


def test_a_decision_counts_before_it_is_seen() -> None:
    first = pod("a", gpus=1)
    there = board([node("one", gpus=1)], [first, pod("b", gpus=1)])
    assert placed(there) == {"a": "one"}
    there.take_pod(first, pod("a", gpus=1), NOW)  # a status that was written before the binding, seen after it
    assert placed(there) == {}


def test_a_pod_that_ends_or_goes_makes_room_for_the_next() -> None:
    first, second, third = (pod(name, gpus=1) for name in ("a", "b", "c"))
    there = board([node("one", gpus=1)], [bound(first, "one"), second, third])
    assert placed(there) == {}
    there.take_pod(bound(first, "one"), changed(bound(first, "one"), status={"phase": "Failed"}), NOW)
    assert placed(there) == {"b": "one"}
    there.take_pod(second, bound(second, "one"), NOW)
    there.take_pod(bound(second, "one"), None, NOW)
    assert placed(there) == {"c": "one"}


def test_a_pod_that_is_being_deleted_holds_until_it_is_gone() -> None:
    going = changed(pod("a", gpus=1, on="one"), metadata={"deletionTimestamp": "2026-11-18T08:00:00Z"})
    assert placed(board([node("one", gpus=1)], [going, pod("b", gpus=1)])) == {}


def test_a_name_that_is_used_again_is_another_pod() -> None:
    old, new = pod("a", gpus=1, on="one"), changed(pod("a", gpus=1), metadata={"uid": "another"})
    there = board([node("one", gpus=1)], [old])
    there.take_pod(old, new, NOW)
    assert [one.uid for one in decide(there).decisions] == ["another"]


def _share(name: str, on: str = "", **spec: Any) -> SchedulingPod:
    """Returns a pod with nine tenths of a GPU; it says which when it is bound."""
    marks = {"corral.dev/gpu-share": "0.9"} | ({CHOSEN_DEVICES: "1"} if on else {})
    return pod(name, on=on, metadata={"annotations": marks}, **spec)


@pytest.mark.parametrize("scheduler", ["corral", "kai-scheduler"])
@pytest.mark.parametrize("nodes", [[], [node("one", gpus=0)]], ids=["no node", "a node without GPUs"])
def test_a_gpu_that_a_pod_held_before_its_node_told_of_it_is_not_given_again(nodes: Any, scheduler: str) -> None:
    """Its device plugin starts anew, or the pod is heard of first."""
    there = board(nodes, [_share("a", "one", schedulerName=scheduler)])
    decide(there)
    there.take_node("one", node("one", gpus=2))
    for name in ("b", "c"):
        there.take_pod(None, _share(name), NOW)

    assert [(one.key.name, one.devices) for one in decide(there).decisions] == [("b", (0,))]


def test_a_pod_that_says_nothing_of_its_gpus_holds_some_as_soon_as_there_are_any() -> None:
    there = board([], [pod("a", gpus=1, on="one", schedulerName="default-scheduler")])
    decide(there)
    there.take_node("one", node("one", gpus=1))
    there.take_pod(None, pod("b", gpus=1), NOW)
    assert placed(there) == {}


def test_a_place_that_was_taken_back_is_free_and_its_pod_comes_again_later() -> None:
    there = board([node("one", gpus=1)], [pod("a", gpus=1)])
    (decision,) = decide(there).decisions
    there.take_back(decision.uid, until=NOW + 5)
    there.take_pod(None, pod("b", gpus=1), NOW)
    assert placed(there) == {"b": "one"}
    there.take_pod(pod("a", gpus=1), changed(pod("a", gpus=1), metadata={"resourceVersion": "2"}), NOW + 1)
    there.take_pod(bound(pod("b", gpus=1), "one"), None, NOW + 2)
    assert placed(there) == {}
    there.let_wait("uid-a", NOW + 6)
    assert placed(there) == {"a": "one"}


def test_a_pod_that_turns_out_to_be_on_another_node_is_held_there() -> None:
    there = board([node("one", gpus=1), node("two", gpus=1)], [pod("a", gpus=1)])
    (decision,) = decide(there).decisions
    other = {"one": "two", "two": "one"}[decision.node]
    there.settle(decision.uid, State.BOUND, other)
    there.take_pod(None, pod("b", gpus=1), NOW)
    there.take_pod(None, pod("c", gpus=1), NOW)
    assert placed(there) == {"b": decision.node}


def test_what_an_earlier_reign_promised_is_held_before_anything_is_decided() -> None:
    waiting = pod("a", gpus=1)
    there = board([node("one", gpus=1)], [waiting, pod("b", gpus=1)])
    there.assume(Decision("uid-a", key_of(waiting), "one", (0,)), NOW)
    assert placed(there) == {}
    there.take_pod(waiting, bound(waiting, "one"), NOW)
    there.take_pod(bound(waiting, "one"), None, NOW)
    assert placed(there) == {"b": "one"}


def test_devices_stay_with_their_pods_over_a_restart() -> None:
    pods = [
        pod(f"p{number}", gpus=1, on="one", metadata={"annotations": {"corral.dev/gpus": device}})
        for number, device in enumerate("31")
    ]
    there = board([node("one", gpus=4)], [*pods, pod("new", gpus=2)])
    (decision,) = decide(there).decisions
    assert set(decision.devices) == {0, 2}


def test_pods_of_other_schedulers_take_their_room() -> None:
    foreign = pod("foreign", gpus=3, on="one", schedulerName="yunikorn")
    there = board([node("one", gpus=4)], [foreign, pod("large", gpus=2), pod("small", gpus=1)])
    assert placed(there) == {"small": "one"}
    there.take_pod(foreign, None, NOW)
    assert placed(there) == {"large": "one"}


@pytest.mark.parametrize("seed", range(20))
def test_no_order_of_news_gives_a_gpu_twice(seed: int) -> None:
    """The truth is played beside the board: binds land or not, news comes late, pods end and go."""
    chance = random.Random(seed)
    sizes = {"one": 4, "two": 2, "three": 1}
    there = board([node(name, gpus=gpus) for name, gpus in sizes.items()])
    truth: dict[str, SchedulingPod] = {}
    shown: dict[str, SchedulingPod] = {}

    def show(name: str) -> None:
        there.take_pod(shown.get(name), truth.get(name), NOW)
        shown.pop(name, None)
        if name in truth:
            shown[name] = truth[name]

    for step in range(400):
        name = f"pod-{step}"
        match chance.randrange(4):
            case 0:
                truth[name] = pod(name, gpus=chance.choice([1, 1, 2]))
            case 1 if truth:
                show(chance.choice([*truth, *shown]))
            case 2 if truth:
                truth.pop(chance.choice(list(truth)))
            case _:
                for decision in decide(there, most=1).decisions:
                    _carry_out(there, decision, truth, chance)
        for holder, gpus in sizes.items():
            held = [one for one in truth.values() if one.spec.node_name == holder]
            used = sum(int(one.spec.containers[0].resources.requests[GPU]) for one in held)
            assert used <= gpus, f"{holder} has {gpus} GPUs and {used} are given"


def _carry_out(there: Board, decision: Decision, truth: dict[str, SchedulingPod], chance: random.Random) -> None:
    found = truth.get(decision.key.name)
    if found is not None and chance.random() < 0.8:
        truth[decision.key.name] = bound(found, decision.node)
        there.settle(decision.uid, State.BOUND, decision.node)
    else:
        there.take_back(decision.uid, NOW)
        there.let_wait(decision.uid, NOW)


def test_a_thousand_pods_and_a_hundred_nodes_are_decided_quickly() -> None:
    there = board([node(f"node-{number:03}", gpus=8) for number in range(100)])
    began = time.perf_counter()
    for number in range(1800):
        there.take_pod(None, pod(f"pod-{number}", gpus=1, priority=number % 7), NOW)
    decided = decide(there, EVERYTHING)
    assert len(decided.decisions) == 800
    carried_out(there, decided.decisions)
    assert len(there.promises) == 0
    for number in range(300):  # one ends, one comes, again and again
        held = pod(f"extra-{number}", gpus=8, on="node-000")
        there.take_pod(None, held, NOW)
        there.take_pod(held, None, NOW)
        assert decide(there).decisions == ()
    assert time.perf_counter() - began < 10.0
