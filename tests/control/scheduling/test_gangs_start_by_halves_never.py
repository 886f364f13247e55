"""Members that go are none of those that start together, and a gang that is taken back starts anew, as a whole (I3)."""

from corral.control.scheduling.board import Board
from corral.control.scheduling.promises import State
from tests.control.scheduling.scene import NOW, board, bound, changed, decide, member, node, placed, pod

GOING = {"deletionTimestamp": "2026-11-18T08:00:00Z"}
FIRST, SECOND = member("a", "g", 2), member("b", "g", 2)


def test_a_member_that_is_being_deleted_is_none_of_those_that_start_together() -> None:
    there = board([node("one", gpus=2)], [bound(FIRST, "one")])
    going = changed(bound(FIRST, "one"), metadata=GOING)
    there.take_pod(bound(FIRST, "one"), going, NOW)
    there.take_pod(None, SECOND, NOW)
    assert placed(there) == {}

    there.take_pod(going, None, NOW)
    there.take_pod(None, pod("other", gpus=1, priority=9), NOW)
    there.take_pod(None, member("a2", "g", 2), NOW)
    assert placed(there) == {"other": "one"}


def test_members_that_are_all_there_anew_do_not_wait_for_those_that_go() -> None:
    there = board([node("one", gpus=4)], [bound(FIRST, "one")])
    there.take_pod(bound(FIRST, "one"), changed(bound(FIRST, "one"), metadata=GOING), NOW)
    for one in (SECOND, member("a2", "g", 2)):
        there.take_pod(None, one, NOW)
    assert placed(there) == {"b": "one", "a2": "one"}


def _half_bound() -> Board:
    """Returns a board on which one pod of a gang was bound and the other refused, so that both are taken back."""
    there = board([node("one", gpus=2)], [FIRST, SECOND])
    decide(there)
    there.settle("uid-a", State.BOUND, "one")
    there.take_pod(FIRST, bound(FIRST, "one"), NOW)
    there.take_back("uid-b", NOW + 1)
    assert list(there.half_started()) == ["ns/g"]
    there.undo("ns/g")
    return there


def test_a_gang_that_is_taken_back_gets_no_places_before_that_is_done() -> None:
    there = _half_bound()
    going = changed(bound(FIRST, "one"), metadata=GOING)
    there.promises.settle("uid-a", State.GONE)
    there.take_pod(bound(FIRST, "one"), going, NOW)
    there.take_pod(None, member("a2", "g", 2), NOW)
    there.let_wait("uid-b", NOW + 2)
    there.take_pod(going, None, NOW + 2)
    assert placed(there) == {}

    assert list(there.closable()) == ["ns/g"]
    there.close("ns/g")
    assert placed(there) == {"b": "one", "a2": "one"}
    for name in ("uid-a2", "uid-b"):
        there.settle(name, State.BOUND, "one")
    assert list(there.closable()) == ["ns/g"]
