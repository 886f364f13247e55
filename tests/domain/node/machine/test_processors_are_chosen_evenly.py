"""A container with a limit runs on as many processors, the least used first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.engine.node.machine.processors import chosen_processors

FOUR = (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("limit", "assigned", "want"),
    [
        (None, [], ()),
        (0, [], ()),
        (1, [], (0,)),
        (0.5, [(0,)], (1,)),
        (1.5, [(0,), (1,)], (2, 3)),
        (2, [(0, 1), (2,)], (0, 3)),
        (1, [(0, 1, 2, 3)], (0,)),
        (4, [], ()),
        (64, [], ()),
    ],
)
def test_a_limit_takes_the_least_used(
    limit: float | None, assigned: list[tuple[int, ...]], want: tuple[int, ...]
) -> None:
    assert chosen_processors(limit, FOUR, assigned) == want


@given(st.lists(st.integers(1, 3), max_size=20))
def test_no_processor_is_ever_used_two_times_more_than_another(limits: list[int]) -> None:
    assigned: list[tuple[int, ...]] = []
    for limit in limits:
        assigned.append(chosen_processors(limit, FOUR, assigned))
        counts = [sum(number in each for each in assigned) for number in FOUR]
        assert max(counts) - min(counts) <= 1
        assert len(assigned[-1]) == limit
