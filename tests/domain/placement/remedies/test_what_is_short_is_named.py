"""What is short is judged over the whole gang: pods that ask the same may be of several classes, as a master and its workers are."""

from corral.placement.asks import Gang, PodAsk, Seat
from corral.placement.fleet import Fleet, RuleSet, Toleration
from corral.placement.potentials import policy
from corral.placement.remedies.explanation import Explanation, explain
from tests.domain.placement.fleets import fleet_of, gang_of, node, pod


def master_and_workers(fleet: Fleet, workers: int, each: PodAsk) -> Gang:
    master = each._replace(rules=fleet.rules(RuleSet(tolerations=(Toleration("role", "Exists"),))))
    return gang_of(master, *[each] * workers)


def why(fleet: Fleet, gang: Gang) -> Explanation:
    found = explain(fleet, gang, policy())
    assert found is not None
    return found


def one_node_of_three_is_free() -> Fleet:
    fleet = fleet_of(*(node(name) for name in "abc"))
    for name in "ab":
        fleet.hold(Seat(f"on-{name}", name), pod(8))
    return fleet


def test_gpus_are_short_where_a_master_finds_room_and_a_worker_finds_room_and_both_do_not() -> None:
    fleet = one_node_of_three_is_free()
    found = why(fleet, master_and_workers(fleet, 1, pod(8, cpu=0, memory=0)))
    assert found.code == "short-of-gpus"
    assert found.sentence == (
        "2 pods must start together, each needs 8 GPUs on one node, and 1 finds room: 8 GPUs are free, 16 held by others"
    )


def test_processors_are_short_where_more_of_them_would_do() -> None:
    fleet = fleet_of(node("a", cpu=12_000))
    fleet.hold(Seat("cpus", "a"), pod(0, cpu=2_000))
    found = why(fleet, master_and_workers(fleet, 1, pod(4, cpu=6_000)))
    assert found.code == "short-of-cpu"


def test_a_gang_that_is_larger_than_all_nodes_can_never_run() -> None:
    fleet = one_node_of_three_is_free()
    found = why(fleet, master_and_workers(fleet, 3, pod(8)))
    assert (found.code, found.is_hopeless) == ("too-large", True)
    assert found.event.startswith("Can never run here: 4 pods must start together")


def test_single_gpus_that_are_all_shared_leave_none_whole() -> None:
    fleet = fleet_of(node("a", gpus=2))
    for index in range(2):
        fleet.hold(Seat(f"share-{index}", "a", (index,)), pod(1, milli=500))
    assert why(fleet, gang_of(pod())).code == "short-of-gpus"


def test_processors_that_no_node_has_are_named_beside_gpus() -> None:
    found = why(fleet_of(node("a", cpu=96_000)), gang_of(pod(8, cpu=200_000)))
    assert found.sentence == (
        "it needs 8 GPUs and 200 CPUs on one node, and the only node cannot take it: it is too small (96 CPUs)"
    )
    assert why(fleet_of(node("a")), gang_of(pod(99))).sentence.startswith("it needs 99 GPUs on one node, and")


def test_a_selector_that_no_node_meets_is_never_waited_for() -> None:
    fleet = fleet_of(node("a"))
    found = why(fleet, gang_of(pod(rules=fleet.rules(RuleSet(selector=(("zone", "z"),))))))
    assert (found.code, found.is_hopeless) == ("no-node-allowed", True)
