from corral.placement.asks import Gang, Member, Plan, Refusal, Seat
from corral.placement.gangs import plan
from corral.placement.offers import NodeOffer
from corral.placement.potentials import policy
from tests.domain.placement.fleets import fleet_of, gang_of, node, pod


def racked(name: str, rack: str, gpus: int = 4, zone: str = "z") -> NodeOffer:
    return node(name, gpus=gpus, labels=(("rack", rack), ("topology.kubernetes.io/zone", zone)))


RACKS = tuple(racked(f"{rack}{index}", rack) for rack, size in (("r", 2), ("s", 3), ("t", 2)) for index in range(size))


def racks_of(answer: Plan | Refusal) -> set[str]:
    assert isinstance(answer, Plan), answer
    return {seat.node[0] for seat in answer.seats}


def test_a_gang_that_must_share_a_domain_goes_to_the_fullest_that_takes_it() -> None:
    fleet = fleet_of(*RACKS)
    fleet.hold(Seat("p", "t0", (0,)), pod())
    assert racks_of(plan(fleet, gang_of(*[pod()] * 7, within="rack"), policy())) == {"t"}
    assert racks_of(plan(fleet, gang_of(*[pod()] * 8, within="rack"), policy())) == {"r"}
    assert racks_of(plan(fleet, gang_of(*[pod()] * 12, within="rack"), policy())) == {"s"}


def test_a_gang_that_fits_but_in_no_single_domain_is_refused_with_that_reason() -> None:
    fleet = fleet_of(*RACKS)
    answer = plan(fleet, gang_of(*[pod()] * 13, within="rack"), policy())
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.binding) == ("no-common-domain", "within")


def test_a_short_name_of_a_level_means_its_labels() -> None:
    fleet = fleet_of(racked("a0", "r", zone="x"), racked("b0", "r", zone="y"))
    assert isinstance(plan(fleet, gang_of(*[pod()] * 5, within="zone"), policy()), Refusal)
    assert isinstance(plan(fleet, gang_of(*[pod()] * 4, within="zone"), policy()), Plan)


def test_a_gang_that_prefers_a_domain_uses_as_few_as_it_can() -> None:
    fleet = fleet_of(*RACKS)
    assert racks_of(plan(fleet, gang_of(*[pod()] * 8, near="rack", strategy="spread"), policy())) < {"r", "t"}
    assert len(racks_of(plan(fleet, gang_of(*[pod()] * 20, near="rack"), policy()))) == 2


def test_members_join_those_that_are_bound_already() -> None:
    fleet = fleet_of(*RACKS)
    fleet.hold(Seat("gang-0", "s1", (0,)), pod())
    members = (Member("gang-0", pod(), "s1"), *(Member(f"gang-{index}", pod()) for index in range(1, 4)))
    for gang in (Gang("gang", members, 4, within="rack"), Gang("gang", members, 4, near="rack")):
        assert racks_of(plan(fleet, gang, policy())) == {"s"}


def test_one_model_for_all_is_a_domain_like_any_other() -> None:
    fleet = fleet_of(node("a", gpus=2, model="A100"), node("t", gpus=3, model="T4"), node("b", gpus=2, model="A100"))
    answer = plan(fleet, gang_of(*[pod()] * 4, within="model"), policy())
    assert isinstance(answer, Plan)
    assert {seat.node for seat in answer.seats} == {"a", "b"}
