"""What the engine says cannot start, an exhaustive packer cannot place either: on small clusters, as they are and with parts of remedies."""

from collections.abc import Iterator

import pytest

from corral.placement.asks import Gang, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.remedies.minimal import smaller_sets
from corral.placement.remedies.question import Question
from corral.placement.remedies.remedy import Parts
from corral.placement.remedies.search import search
from tests.domain.placement.brute_force import Node, fits
from tests.domain.placement.remedies.brute_force import Engine
from tests.domain.placement.remedies.clusters import POLICY, Case, random_case

CASES, GROUP = 60, 12


def is_plain(gang: Gang) -> bool:
    """Whether the packer can judge a gang: all pods wait and must start, allow the same nodes, and know no neighbours."""
    if any(one.held for one in gang.members) or gang.minimum < len(gang.members):
        return False
    asks = {one.ask for one in gang.members}
    known = all(not ask.neighbours and not ask.crowds and not ask.gpu.refused_models for ask in asks)
    return known and not gang.within and len({ask.rules for ask in asks}) == 1


def left_on(fleet: Fleet, ask: PodAsk) -> Iterator[Node]:
    """Yields what is left on every node that an ask allows."""
    columns = fleet.columns
    for name, offer in fleet.offers.items():
        row = fleet.row(name)
        if row is None or offer.is_closed or not fleet.allowed(ask.rules)[row]:
            continue
        gpus = tuple(
            (int(columns.gpu[row, index]), int(columns.gpu_memory[row, index]), gpu.memory)
            for index, gpu in enumerate(offer.gpus)
        )
        others = tuple((name, int(columns.others[name][row])) for name, _ in offer.others)
        yield int(columns.cpu[row]), int(columns.memory[row]), int(columns.pods[row]), gpus, offer.model, others


def can_be_packed(case: Case, parts: Parts) -> bool:
    """Whether enough pods of a gang fit with these changes, by trying every way."""
    fleet, gang = case.fleet(), case.gang
    for part in parts:
        gang = part.asked(fleet, gang)
    if not is_plain(gang):
        return False
    with fleet.draft():
        for part in parts:
            part.carry_out(fleet)
        return fits(tuple(left_on(fleet, gang.members[0].ask)), [one.ask for one in gang.members])


@pytest.mark.parametrize("first", range(0, CASES, GROUP))
def test_what_does_not_start_cannot_be_packed(first: int) -> None:
    for seed in range(first, first + GROUP):
        case = random_case(seed, nodes=3, gpus=3)
        if Engine(case).starts(()):
            continue
        assert not can_be_packed(case, ()), f"seed {seed}"
        for remedy in search(Question(case.fleet(), case.gang, POLICY, case.jobs)).remedies:
            overlooked = [less for less in smaller_sets(remedy.parts) if can_be_packed(case, less)]
            assert overlooked == [], f"seed {seed}: {remedy.sentence}"


def test_the_packer_has_something_to_say() -> None:
    cases = [random_case(seed, nodes=3, gpus=3) for seed in range(CASES)]
    starting = {seed: Engine(case).starts(()) for seed, case in enumerate(cases) if is_plain(case.gang)}
    assert sum(not starts for starts in starting.values()) >= 30
    assert all(can_be_packed(cases[seed], ()) for seed, starts in starting.items() if starts)
    assert any(starting.values())
