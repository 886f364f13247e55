"""Laws of remedies on random clusters.

- *sound*: with every remedy that is offered the engine starts the gang;
- *minimal*: it does not when any part is left out, or any number lowered by one;
- *complete*: no minimal set of the parts that brute force finds is missing, and no smaller number.

Each is checked with the engine alone, on a fleet of its own. `CORRAL_TEST_FULL=1` plays 10,000 clusters, otherwise a fixed sample.
"""

import os

import pytest

from corral.placement.remedies.question import Question
from corral.placement.remedies.search import ENOUGH, search
from tests.domain.placement.remedies.brute_force import (
    Engine,
    counted_sets,
    freed_sets,
    kind_and_number,
    named_sets,
    names_of,
)
from tests.domain.placement.remedies.clusters import POLICY, Case, random_case

FULL = bool(os.environ.get("CORRAL_TEST_FULL"))
CLUSTERS, GROUP = (10_000, 100) if FULL else (200, 25)
SMALL, SMALL_GROUP = (400, 10) if FULL else (12, 3)


def question(case: Case) -> Question:
    return Question(case.fleet(), case.gang, POLICY, case.jobs)


@pytest.mark.parametrize("first", range(0, CLUSTERS, GROUP))
def test_every_remedy_starts_the_gang_and_nothing_of_it_is_superfluous(first: int) -> None:
    for seed in range(first, first + GROUP):
        case = random_case(seed)
        engine = Engine(case)
        if engine.starts(()):
            continue
        found = search(question(case)).remedies
        assert len(found) <= ENOUGH
        for one in found:
            assert engine.starts(one.parts), f"seed {seed}: {one.sentence}"
            assert engine.is_minimal(one.parts), f"seed {seed}: {one.sentence}"


@pytest.mark.parametrize("first", range(0, SMALL, SMALL_GROUP))
def test_brute_force_finds_no_remedy_that_is_missing(first: int) -> None:
    for seed in range(first, first + SMALL_GROUP):
        case = random_case(seed, nodes=3, gpus=3)
        engine = Engine(case)
        if engine.starts(()):
            continue
        found = search(question(case), everything=True).remedies
        assert not _missing_names(engine, {frozenset(one.parts) for one in found}), f"seed {seed}"
        numbers: dict[tuple[frozenset[str], str], int] = {}
        for one in found:
            switches, kind, number = kind_and_number(one.parts)
            numbers[switches, kind] = min(number, numbers.get((switches, kind), number))
        assert not _missing_numbers(engine, numbers), f"seed {seed}"


def test_a_search_leaves_the_fleet_as_it_was() -> None:
    case = random_case(5)
    fleet = case.fleet()
    before = fleet.columns.gpu[: len(fleet)].copy(), fleet.columns.cpu[: len(fleet)].copy(), dict(fleet.offers)
    holds = {uid: hold.seat for uid, hold in fleet.holds.items()}
    search(Question(fleet, case.gang, POLICY, case.jobs), everything=True)
    assert (fleet.columns.gpu[: len(fleet)] == before[0]).all()
    assert (fleet.columns.cpu[: len(fleet)] == before[1]).all()
    assert fleet.offers == before[2]
    assert {uid: hold.seat for uid, hold in fleet.holds.items()} == holds


def test_the_same_question_has_the_same_answer() -> None:
    for seed in range(20):
        case = random_case(seed)
        assert search(question(case)) == search(question(case))


def _missing_names(engine: Engine, found: set[frozenset[object]]) -> list[list[str]]:
    sets = (parts for parts in named_sets(engine, 3) if frozenset(parts) not in found)
    return [[one.words() for one in parts] for parts in sets]


def _missing_numbers(engine: Engine, numbers: dict[tuple[frozenset[str], str], int]) -> list[object]:
    missing: list[object] = []
    for parts in counted_sets(engine, 2):
        switches, kind, number = kind_and_number(parts)
        if numbers.get((switches, kind), number + 1) > number:
            missing.append([one.words() for one in parts])
    for chosen, node, number in freed_sets(engine, 2):
        if numbers.get((names_of(chosen), "room"), number + 1) > number:
            missing.append(([one.words() for one in chosen], node, number))
    return missing
