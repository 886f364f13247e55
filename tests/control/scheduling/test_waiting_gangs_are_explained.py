"""Beside the words of kube-scheduler, people hear in plain ones why a gang waits, seldom; and numbers say how many wait for what."""

import asyncio

from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.board import Board
from corral.control.scheduling.explaining import FITS, UNKNOWN, Explaining
from corral.control.scheduling.room import FleetRoom
from corral.placement.fleet import Fleet
from corral.reconcile.plan import EmitEvent
from corral.testing.manual_clock import ManualClock
from tests.control.scheduling.scene import NOW, board, carried_out, decide, member, node, pod


def desk() -> AdmissionDesk:
    return AdmissionDesk(FleetRoom(Fleet()))


def explaining(of: Board, at: AdmissionDesk, waited: float = 60.0) -> tuple[Explaining, list[EmitEvent], ManualClock]:
    said: list[EmitEvent] = []
    arrived = min(one.arrived for one in of.crowd)
    clock = ManualClock(arrived + waited)
    return Explaining(of, at, clock, said.append, lambda: None), said, clock


def full(at: AdmissionDesk) -> Board:
    there = board([node("a", gpus=4), node("b", gpus=4)], [pod("holder", gpus=6, on="a")], at)
    for index in range(2):
        there.take_pod(None, member(f"p{index}", "train", 2, gpus=3), NOW)
    decide(there)
    return there


def test_a_gang_that_waits_is_told_once_in_plain_words() -> None:
    at = desk()
    loop, said, clock = explaining(full(at), at)
    assert loop.codes() == {UNKNOWN: 1}
    loop.look()
    loop.look()
    assert [(one.reason, one.message) for one in said] == [
        (
            "Waits",
            "Waits for room: 2 pods must start together, each needs 3 GPUs on one node, and 1 finds room: 4 GPUs are free"
            ", 6 held by holder",
        )
    ]
    assert loop.codes() == {"short-of-gpus": 1}
    asyncio.run(clock.advance(700.0))
    loop.look()
    assert len(said) == 2


def test_who_came_a_moment_ago_is_told_nothing() -> None:
    at = desk()
    loop, said, _ = explaining(full(at), at, waited=2.0)
    loop.look()
    assert said == []
    assert loop.codes() == {"short-of-gpus": 1}


def test_a_gang_for_which_there_is_room_waits_for_its_turn() -> None:
    at = desk()
    there = board([node("a", gpus=4)], [pod("next", gpus=1)], at)
    loop, said, _ = explaining(there, at)
    loop.look()
    assert (said, loop.codes()) == ([], {FITS: 1})
    carried_out(there, decide(there).decisions)
    assert loop.codes() == {}
