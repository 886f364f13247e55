"""A ratio of medians comes with an interval that narrows with samples and is the same for the same seed."""

import random

import pytest

from tools.bench.node.intervals import percentile, ratio_of_medians


def noisy(chance: random.Random, middle: float, count: int) -> list[float]:
    return [chance.gauss(middle, middle / 10) for _ in range(count)]


def test_equal_sides_have_a_ratio_around_one() -> None:
    chance = random.Random(1)
    found = ratio_of_medians(noisy(chance, 100, 40), noisy(chance, 100, 40))
    assert found.low < 1 < found.high
    assert found.low < found.value < found.high


def test_a_slower_side_is_told_from_chance() -> None:
    chance = random.Random(2)
    found = ratio_of_medians(noisy(chance, 80, 40), noisy(chance, 100, 40))
    assert found.high < 0.95


def test_more_samples_make_it_surer() -> None:
    chance = random.Random(3)
    few = ratio_of_medians(noisy(chance, 100, 8), noisy(chance, 100, 8))
    many = ratio_of_medians(noisy(chance, 100, 200), noisy(chance, 100, 200))
    assert many.high - many.low < few.high - few.low


def test_the_same_samples_give_the_same_interval() -> None:
    ours, theirs = [3.0, 4.0, 5.0, 9.0], [4.0, 4.5, 6.0, 7.0]
    assert ratio_of_medians(ours, theirs) == ratio_of_medians(ours, theirs)


def test_pairs_are_drawn_together() -> None:
    """When the machine slows down for a while, both sides of a pair do, and the ratio stays sure."""
    load = [1.0, 1.0, 5.0, 5.0, 2.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    found = ratio_of_medians([90 / one for one in load], [100 / one for one in load])
    assert found.low == pytest.approx(0.9)
    assert found.high == pytest.approx(0.9)


def test_samples_without_a_partner_are_refused() -> None:
    with pytest.raises(ValueError, match="pairs"):
        ratio_of_medians([1.0, 2.0], [1.0])


@pytest.mark.parametrize(("percent", "want"), [(0, 1.0), (50, 3.0), (95, 4.8), (100, 5.0)])
def test_percentiles_lie_between_neighbours(percent: float, want: float) -> None:
    assert percentile([5.0, 1.0, 3.0, 2.0, 4.0], percent) == pytest.approx(want)
