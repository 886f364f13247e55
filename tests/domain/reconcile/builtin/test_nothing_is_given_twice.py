"""What is held stays held: through late news, lost answers and repeated events, until the pod has ended or is gone."""

import random
import time

import pytest

from corral.kinds.objects import Object
from corral.reconcile.builtin.binding.board import Board, Choice
from tests.domain.reconcile.builtin.binding_scene import board, bound, choices, node, placed, pod


def test_a_decision_counts_before_it_is_seen() -> None:
    there = board([node("one", gpus=1)], [pod("a", gpus=1), pod("b", gpus=1)])
    assert placed(there) == {"a": "one"}
    there.take_pod(pod("a", gpus=1), pod("a", gpus=1))  # a status that was written before the binding, seen after it
    assert placed(there) == {}


def test_a_pod_that_ends_or_goes_makes_room_for_the_next() -> None:
    first, second, third = (pod(name, gpus=1) for name in ("a", "b", "c"))
    there = board([node("one", gpus=1)], [bound(first, "one"), second, third])
    assert placed(there) == {}
    there.take_pod(first, {**bound(first, "one"), "status": {"phase": "Failed"}})
    assert placed(there) == {"b": "one"}
    there.take_pod(second, bound(second, "one"))
    there.take_pod(bound(second, "one"), None)
    assert placed(there) == {"c": "one"}


def test_a_pod_that_is_being_deleted_holds_until_it_is_gone() -> None:
    going = bound(pod("a", gpus=1), "one")
    going["metadata"]["deletionTimestamp"] = "2027-01-15T08:00:00Z"
    assert placed(board([node("one", gpus=1)], [going, pod("b", gpus=1)])) == {}


def test_a_name_that_is_used_again_is_another_pod() -> None:
    old, new = bound(pod("a", gpus=1), "one"), pod("a", gpus=1)
    new["metadata"]["uid"] = "another"
    there = board([node("one", gpus=1)], [old])
    there.take_pod(old, new)
    assert [choice.uid for choice in choices(there)] == ["another"]


def test_a_binding_that_the_server_denies_is_decided_anew() -> None:
    waiting = pod("a", gpus=1)
    there = board([node("one", gpus=1)], [waiting])
    (choice,) = choices(there)
    there.settle(choice.uid, waiting)
    assert placed(there) == {"a": "one"}


def test_a_binding_to_another_node_is_held_there() -> None:
    waiting = pod("a", gpus=1)
    there = board([node("one", gpus=1), node("two", gpus=1)], [waiting])
    (choice,) = choices(there)
    there.settle(choice.uid, bound(waiting, "two"))
    there.take_pod(None, pod("b", gpus=1))
    there.take_pod(None, pod("c", gpus=1))
    assert placed(there) == {"b": "one"}


def test_a_pod_that_vanished_under_its_binding_holds_nothing() -> None:
    there = board([node("one", gpus=1)], [pod("a", gpus=1), pod("b", gpus=1)])
    (choice,) = choices(there)
    there.settle(choice.uid, None)
    assert placed(there) == {"b": "one"}


def test_what_an_earlier_process_bound_counts_before_a_cache_shows_it() -> None:
    waiting = pod("a", gpus=1)
    there = board([node("one", gpus=1)], [waiting, pod("b", gpus=1)])
    there.assume(bound(waiting, "one"))
    assert placed(there) == {}
    there.take_pod(waiting, bound(waiting, "one"))
    there.take_pod(bound(waiting, "one"), None)
    assert placed(there) == {"b": "one"}


@pytest.mark.parametrize("seed", range(20))
def test_no_order_of_news_gives_a_gpu_twice(seed: int) -> None:
    """The truth is played beside the board: binds land or not, news comes late, pods end and go."""
    chance = random.Random(seed)
    sizes = {"one": 4, "two": 2, "three": 1}
    there = board([node(name, gpus=gpus) for name, gpus in sizes.items()])
    truth: dict[str, Object] = {}
    shown: dict[str, Object] = {}

    def show(name: str) -> None:
        there.take_pod(shown.get(name), truth.get(name))
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
                ended = chance.choice(list(truth))
                truth.pop(ended)
            case _:
                choice = there.next_choice()
                if choice is not None:
                    _carry_out(there, choice, truth, chance)
        for holder, gpus in sizes.items():
            held = [one for one in truth.values() if one["spec"].get("nodeName") == holder]
            used = sum(int(one["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"]) for one in held)
            assert used <= gpus, f"{holder} has {gpus} GPUs and {used} are given"


def _carry_out(there: Board, choice: Choice, truth: dict[str, Object], chance: random.Random) -> None:
    found = truth.get(choice.key.name)
    if found is None:
        there.settle(choice.uid, None)
    elif chance.random() < 0.8:
        truth[choice.key.name] = bound(found, choice.node)
    else:
        there.settle(choice.uid, found)  # refused, and read since


def test_a_thousand_pods_and_a_hundred_nodes_are_decided_quickly() -> None:
    there = board([node(f"node-{number:03}", gpus=8) for number in range(100)])
    began = time.perf_counter()
    for number in range(1800):
        there.take_pod(None, pod(f"pod-{number}", gpus=1, priority=number % 7))
    assert len(choices(there)) == 800
    for number in range(1000):  # one ends, one comes, again and again
        held = bound(pod(f"extra-{number}", gpus=8), "node-000")
        there.take_pod(None, held)
        there.take_pod(held, None)
        assert choices(there) == []
    assert time.perf_counter() - began < 5.0
