"""Which GPUs of a node a pod gets: the best connected, and of equal ones those that leave the best pairs to others."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from corral.placement.asks import GpuAsk, Plan, PodAsk, Seat
from corral.placement.fleet.wiring import best_set, matrix_of, points
from corral.placement.gangs import plan
from corral.placement.offers import GpuOffer, NodeOffer
from corral.placement.potentials import Policy, policy
from tests.domain.placement.fleets import fleet_of, gang_of, node, pod

NVLINK, CROSS = 100, 10


def paired(name: str, gpus: int = 4) -> NodeOffer:
    """GPUs 0 and 1, 2 and 3, ... are linked."""
    links = tuple(tuple(NVLINK if one // 2 == other // 2 else CROSS for other in range(gpus)) for one in range(gpus))
    return node(name, gpus=gpus, links=links)


def devices(answer: object) -> list[tuple[int, ...]]:
    assert isinstance(answer, Plan), answer
    return [seat.devices for seat in answer.seats]


def test_two_gpus_are_a_linked_pair_and_one_gpu_breaks_no_whole_pair() -> None:
    fleet = fleet_of(paired("a"))
    assert devices(plan(fleet, gang_of(pod(2)), policy())) in ([(0, 1)], [(2, 3)])
    fleet.hold(Seat("p", "a", (1,)), pod())
    assert devices(plan(fleet, gang_of(pod(2)), policy())) == [(2, 3)]
    assert devices(plan(fleet, gang_of(pod()), policy())) == [(0,)]


def test_a_node_with_a_linked_pair_left_is_better_than_one_without() -> None:
    fleet = fleet_of(paired("broken"), paired("whole"))
    for index in (0, 2):
        fleet.hold(Seat(f"p{index}", "broken", (index,)), pod())
    fleet.hold(Seat("q", "whole", (0, 1)), pod(2))
    chosen = Policy("linked", (("links", 1.0),))
    answer = plan(fleet, gang_of(pod(2)), chosen)
    assert isinstance(answer, Plan)
    assert (answer.seats[0].node, answer.seats[0].devices) == ("whole", (2, 3))


def test_islands_and_numa_nodes_tell_pairs_apart_when_nobody_measured_links() -> None:
    gpus = tuple(GpuOffer(numa=index // 2, clique="x" if index in (1, 2) else "") for index in range(4))
    offer = NodeOffer("a", 1000, 1000, gpus=gpus)
    assert devices(plan(fleet_of(offer), gang_of(PodAsk(gpu=GpuAsk(2))), policy())) == [(1, 2)]
    assert matrix_of(NodeOffer("a", 1, 1, gpus=(GpuOffer(),) * 4)) == ()


def test_points_for_another_number_of_gpus_than_there_are_say_nothing() -> None:
    for links in (((0, 1),), ((0, 1), (1,)), ((0, 1, 2),) * 3):
        assert matrix_of(node("a", gpus=2, links=links)) == ()


def test_a_pinned_pod_gets_what_it_named_whatever_the_links() -> None:
    answer = plan(fleet_of(paired("a")), gang_of(PodAsk(gpu=GpuAsk(2, devices=("1", "2")))), policy())
    assert devices(answer) == [(1, 2)]


matrices = (
    st.integers(2, 6)
    .flatmap(
        lambda size: st.lists(st.lists(st.integers(0, 3), min_size=size, max_size=size), min_size=size, max_size=size)
    )
    .map(lambda rows: tuple(tuple(rows[min(i, j)][max(i, j)] for j in range(len(rows))) for i in range(len(rows))))
)


@settings(max_examples=100, deadline=None)
@given(matrices, st.data())
def test_no_other_set_has_more_points(matrix: tuple[tuple[int, ...], ...], data: st.DataObject) -> None:
    idle = data.draw(st.integers(0, (1 << len(matrix)) - 1))
    number = data.draw(st.integers(1, len(matrix)))
    chosen = best_set(matrix, idle, number)
    free = [index for index in range(len(matrix)) if idle >> index & 1]
    if len(free) < number:
        assert chosen == ()
    else:
        assert set(chosen) <= set(free)
        assert points(matrix, chosen) == max(points(matrix, other) for other in combinations(free, number))


def test_sixteen_gpus_are_answered_at_once_and_well() -> None:
    offer = paired("a", gpus=16)
    assert points(offer.links, best_set(offer.links, 0xFFFF, 8)) == points(offer.links, range(8))
    large = paired("b", gpus=24)
    assert points(large.links, best_set(large.links, (1 << 24) - 1, 12)) == points(large.links, range(12))
