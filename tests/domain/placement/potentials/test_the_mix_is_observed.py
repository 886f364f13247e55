"""What a running scheduler knows of the mix: nothing at first, then what came, and what came lately most of all."""

from corral.placement.potentials.observed import Observed
from corral.placement.potentials.statistics import NOTHING_KNOWN
from tests.domain.placement.fleets import pod


def test_nothing_is_concluded_from_a_few_pods() -> None:
    observed = Observed()
    for _ in range(63):
        observed.came(pod(1))

    assert observed.statistics == NOTHING_KNOWN

    observed.came(pod(1))

    assert observed.statistics.shares == ((pod(1, memory=0), 1.0),)
    assert observed.statistics.observed == 64


def test_conclusions_change_in_few_steps() -> None:
    observed, known = Observed(), set()
    for number in range(10_000):
        observed.came(pod(1 + number % 2, cpu=1000 * (number % 7)))
        known.add(observed.statistics)

    assert len(known) < 40
    assert 4_000 < observed.statistics.observed < 10_000


def test_what_came_long_ago_is_forgotten() -> None:
    observed = Observed()
    for _ in range(10_000):
        observed.came(pod(8))
    for _ in range(200_000):
        observed.came(pod(1))

    assert dict(observed.statistics.shares).get(pod(8), 0.0) < 0.01
