from collections import Counter

from corral.placement.asks import Gang, GpuAsk, Member, Plan, PodAsk, Seat
from corral.placement.fleet import Fleet, RuleSet
from corral.placement.gangs import plan
from corral.placement.offers import GpuOffer
from corral.placement.potentials import policy
from tests.domain.placement.fleets import fleet_of, gang_of, node, pod


def planned(fleet: Fleet, gang: Gang, name: str = "default") -> tuple[Seat, ...]:
    answer = plan(fleet, gang, policy(name))
    assert isinstance(answer, Plan), answer
    return answer.seats


def nodes_of(seats: tuple[Seat, ...]) -> list[int]:
    return sorted(Counter(seat.node for seat in seats).values(), reverse=True)


def test_bundled_pods_share_as_few_nodes_as_possible() -> None:
    fleet = fleet_of(*(node(f"n{index}", gpus=4) for index in range(6)))
    assert nodes_of(planned(fleet, gang_of(*[pod()] * 6, strategy="bundle"))) == [4, 2]


def test_bundled_pods_leave_the_roomy_node_alone_when_a_smaller_one_takes_them_all() -> None:
    fleet = fleet_of(node("large", gpus=8), node("small", gpus=3))
    assert {seat.node for seat in planned(fleet, gang_of(*[pod()] * 3, strategy="bundle"), "bestfit")} == {"small"}


def test_spread_pods_lie_on_different_nodes_as_long_as_there_are_any() -> None:
    fleet = fleet_of(*(node(f"n{index}", gpus=8) for index in range(4)))
    assert nodes_of(planned(fleet, gang_of(*[pod()] * 4, strategy="spread"))) == [1, 1, 1, 1]
    assert nodes_of(planned(fleet, gang_of(*[pod()] * 6, strategy="spread"))) == [2, 2, 1, 1]


def test_members_that_are_bound_already_count_for_the_strategy() -> None:
    fleet = fleet_of(node("a"), node("b"))
    fleet.hold(Seat("gang-0", "b", (0,)), pod())
    members = (Member("gang-0", pod(), "b"), Member("gang-1", pod()))
    assert planned(fleet, Gang("gang", members, 2, strategy="bundle"))[0].node == "b"
    assert planned(fleet, Gang("gang", members, 2, strategy="spread"))[0].node == "a"


def test_ten_free_gpus_on_four_nodes_take_no_job_of_four_unless_jobs_are_bundled() -> None:
    for strategy, want_fits in {"spread": False, "bundle": True}.items():
        fleet = fleet_of(*(node(f"n{index}", gpus=4) for index in range(4)))
        for seat in planned(fleet, gang_of(*[pod()] * 6, strategy=strategy)):
            fleet.hold(seat, pod())
        assert fleet.columns.gpu[:4].sum() == 10_000
        assert isinstance(plan(fleet, gang_of(pod(gpus=4)), policy()), Plan) is want_fits


def test_a_pod_can_be_pinned_to_one_gpu_of_one_node() -> None:
    fleet = fleet_of(node("node1", labels=(("kubernetes.io/hostname", "node1"),)), node("node2"))

    there = fleet.rules(RuleSet(selector=(("kubernetes.io/hostname", "node1"),)))
    pinned = PodAsk(1000, 0, GpuAsk(1, devices=("0",)), rules=there)
    (seat,) = planned(fleet, gang_of(pinned))
    assert (seat.node, seat.devices) == ("node1", (0,))
    fleet.hold(seat, pinned)
    assert not isinstance(plan(fleet, gang_of(pinned), policy()), Plan)


def test_a_pod_can_be_pinned_to_a_gpu_by_its_uuid() -> None:

    fleet = fleet_of(node("a"), node("b")._replace(gpus=(GpuOffer("GPU-x"), GpuOffer("GPU-y"))))
    (seat,) = planned(fleet, gang_of(PodAsk(gpu=GpuAsk(1, devices=("GPU-y",)))))
    assert (seat.node, seat.devices) == ("b", (1,))


def test_several_gpus_of_a_share_each_are_different_gpus() -> None:
    fleet = fleet_of(node("a", gpus=3))
    seats = planned(fleet, gang_of(*[PodAsk(gpu=GpuAsk(2, 500))] * 3))
    assert all(len(set(seat.devices)) == 2 for seat in seats)
    for seat in seats:
        fleet.hold(seat, PodAsk(gpu=GpuAsk(2, 500)))
    assert not fleet.columns.gpu[0].any()


def test_models_are_allowed_and_refused_by_the_words_people_use() -> None:
    fleet = fleet_of(node("a", model="NVIDIA-A100-SXM4-80GB"), node("t", model="Tesla-T4"), node("v", model="V100M32"))
    for models, refused, want in (
        (("A100",), (), {"a"}),
        (("T4", "V100M32"), (), {"t", "v"}),
        ((), ("t4", "a100"), {"v"}),
        (("A10",), (), set()),
    ):
        ask = PodAsk(gpu=GpuAsk(1, models=models, refused_models=refused))
        answer = plan(fleet, gang_of(*[ask] * 24, minimum=1), policy())
        assert {seat.node for seat in (answer.seats if isinstance(answer, Plan) else ())} == want


def test_other_resources_such_as_slices_of_gpus_are_counted() -> None:
    fleet = fleet_of(node("a", gpus=0, others=(("nvidia.com/mig-1g.5gb", 2),)), node("b", gpus=0))
    ask = PodAsk(others=(("nvidia.com/mig-1g.5gb", 1),))
    answer = plan(fleet, gang_of(ask, ask, ask, minimum=1), policy())
    assert isinstance(answer, Plan)
    assert [seat.node for seat in answer.seats] == ["a", "a"]
