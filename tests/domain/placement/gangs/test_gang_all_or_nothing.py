from corral.placement.asks import Plan, Refusal
from corral.placement.gangs import plan
from corral.placement.potentials import policy
from tests.domain.placement.fleets import fleet_of, gang_of, node, pod


def test_a_gang_goes_nowhere_when_one_of_its_pods_does_not_fit() -> None:
    fleet = fleet_of(node("a", gpus=2), node("b", gpus=1))
    answer = plan(fleet, gang_of(pod(), pod(), pod(), pod()), policy())
    assert isinstance(answer, Refusal)
    assert fleet.columns.gpu[:2].sum() == 3000
    assert fleet.holds == {}


def test_a_gang_that_fits_gets_seats_for_all_its_pods() -> None:
    fleet = fleet_of(node("a", gpus=2), node("b", gpus=2))
    answer = plan(fleet, gang_of(pod(), pod(), pod(), pod()), policy())
    assert isinstance(answer, Plan)
    assert len({(seat.node, seat.devices) for seat in answer.seats}) == 4


def test_a_gang_starts_with_its_minimum_and_as_many_more_as_fit() -> None:
    fleet = fleet_of(node("a", gpus=3))
    answer = plan(fleet, gang_of(pod(), pod(), pod(), pod(), minimum=2), policy())
    assert isinstance(answer, Plan)
    assert len(answer.seats) == 3
