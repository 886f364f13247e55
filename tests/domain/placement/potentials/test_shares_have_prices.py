"""Share prices: what completes a good cut of a GPU costs nothing, what spoils one does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.placement.asks import WHOLE, PodAsk, Seat
from corral.placement.fleet import Fleet
from corral.placement.potentials.cutting import best_pattern, prices_of
from corral.placement.potentials.mix import mix_of
from corral.placement.potentials.outlook import Outlook
from corral.placement.potentials.share_prices import share_price
from corral.placement.potentials.statistics import statistics_of
from tests.domain.placement.fleets import fleet_of, node, pod


def _regrets(fleet: Fleet, mix: list[PodAsk], ask: PodAsk) -> list[list[float]]:
    potential = share_price(mix_of(fleet, statistics_of(mix)))
    rows = np.arange(fleet.columns.length)
    found: list[list[float]] = potential(Outlook(fleet.columns, rows, ask)).tolist()
    return found


def test_a_share_is_worth_what_part_of_a_whole_cut_it_takes() -> None:
    assert prices_of({500: 1.0}) == {500: pytest.approx(0.5)}
    assert prices_of({700: 1.0, 300: 1.0}) == {300: pytest.approx(0.0), 700: pytest.approx(1.0)}
    assert prices_of({}) == {}


@given(st.dictionaries(st.integers(1, 100).map(lambda size: size * 10), st.floats(0.01, 10), min_size=1, max_size=8))
def test_no_way_to_cut_a_gpu_is_worth_more_than_the_gpu(demand: dict[int, float]) -> None:
    found = prices_of(demand)
    worth, counts = best_pattern(np.array(list(found)), np.array(list(found.values())))

    assert worth[WHOLE] == pytest.approx(1.0, abs=1e-6)
    assert counts @ np.array(list(found)) <= WHOLE
    assert (np.diff(worth) >= -1e-9).all()


def test_a_share_regrets_to_leave_what_nobody_can_use() -> None:
    fleet = fleet_of(node("a", gpus=2))
    fleet.hold(Seat("there", "a", (0,)), pod(1, milli=500))
    mix = [pod(1, milli=500), pod(1, milli=300)] * 10

    half, third = _regrets(fleet, mix, pod(1, milli=500)), _regrets(fleet, mix, pod(1, milli=300))

    assert half == [[0.0, 0.0]]
    assert third[0][0] > 0
    assert third[0][1] == 0.0


def test_whole_gpus_and_pods_without_any_have_no_regret() -> None:
    fleet = fleet_of(node("a", gpus=2))

    assert not np.any(_regrets(fleet, [pod(1, milli=700)], pod(1)))
    assert not np.any(_regrets(fleet, [pod(1, milli=700)], pod(0)))


def test_a_mix_without_shares_prices_none() -> None:
    assert not np.any(_regrets(fleet_of(node("a", gpus=1)), [pod(1), pod(8)], pod(1, milli=400)))
