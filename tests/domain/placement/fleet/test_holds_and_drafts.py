import numpy as np

from corral.placement.asks import GpuAsk, PodAsk, Seat
from corral.placement.fleet import Expression, Fleet, RuleSet, Toleration
from corral.placement.offers import Taint
from tests.domain.placement.fleets import fleet_of, node, pod


def left(fleet: Fleet) -> list[bytes]:
    columns, rows = fleet.columns, fleet.columns.length
    return [
        grid[:rows].tobytes() for grid in (columns.gpu, columns.gpu_memory, columns.cpu, columns.memory, columns.pods)
    ]


def test_what_is_held_is_missing_until_it_is_released() -> None:
    fleet = fleet_of(node("a", gpus=2))
    before = left(fleet)
    fleet.hold(Seat("p", "a", (1,)), pod(milli=300))
    assert list(fleet.columns.gpu[0]) == [1000, 700]
    assert list(fleet.columns.gpu_memory[0]) == [16_000, 11_200]
    fleet.release("p")
    assert left(fleet) == before


def test_a_share_by_memory_takes_the_same_part_of_the_gpu() -> None:
    fleet = fleet_of(node("a", gpus=1))
    fleet.hold(Seat("p", "a", (0,)), PodAsk(gpu=GpuAsk(1, memory=4_000)))
    assert (fleet.columns.gpu[0, 0], fleet.columns.gpu_memory[0, 0]) == (750, 12_000)


def test_the_same_uid_again_replaces_its_hold() -> None:
    fleet = fleet_of(node("a"), node("b"))
    fleet.hold(Seat("p", "a", (0,)), pod())
    fleet.hold(Seat("p", "b", (3,)), pod())
    assert fleet.columns.gpu[0].sum() == 8000
    assert fleet.columns.gpu[1].sum() == 7000


def test_a_node_that_is_replaced_or_comes_back_keeps_its_holds() -> None:
    fleet = fleet_of(node("a", gpus=2))
    fleet.hold(Seat("p", "a", (1,)), pod())
    fleet.put(node("a", gpus=4))
    assert list(fleet.columns.gpu[0]) == [1000, 0, 1000, 1000]
    fleet.remove("a")
    fleet.put(node("a", gpus=2))
    assert list(fleet.columns.gpu[0, :2]) == [1000, 0]
    fleet.release("p")
    assert list(fleet.columns.gpu[0, :2]) == [1000, 1000]


def test_a_draft_undoes_everything_unless_it_is_kept() -> None:
    fleet = fleet_of(node("a"), node("b"))
    fleet.hold(Seat("p", "a", (0,)), pod())
    before = left(fleet)
    with fleet.draft():
        fleet.release("p")
        fleet.hold(Seat("q", "b", (0, 1)), pod(2))
        fleet.put(node("c"))
        fleet.remove("a")
        with fleet.draft() as inner:
            fleet.hold(Seat("r", "b", (5,)), pod())
            inner.keep()
        fleet.put(node("b", gpus=4))
    assert left(fleet)[2:] == [np.pad(np.frombuffer(one, np.int64), (0, 1)).tobytes() for one in before[2:]]
    assert set(fleet.holds) == {"p"}
    with fleet.draft() as draft:
        fleet.release("p")
        draft.keep()
    assert fleet.columns.gpu[0].sum() == 8000


def test_gpus_of_a_pod_that_another_scheduler_bound_are_guessed() -> None:
    fleet = fleet_of(node("a", gpus=3))
    fleet.hold(Seat("p", "a", (0,)), pod(milli=500))
    fleet.hold(Seat("q", "a"), pod(2))
    assert list(fleet.columns.gpu[0]) == [500, 0, 0]


def test_rules_allow_by_labels_and_taints() -> None:
    fleet = fleet_of(
        node("a", labels=(("zone", "x"),)),
        node("b", labels=(("zone", "y"),), taints=(Taint("gpu", "yes"),)),
        node("c", taints=(Taint("gpu", "yes", "PreferNoSchedule"),)),
    )
    in_zone = (Expression("zone", "In", ("x", "y")),)
    cases = {
        RuleSet(): [True, False, True],
        RuleSet(selector=(("zone", "x"),)): [True, False, False],
        RuleSet(affinity=(in_zone,), tolerations=(Toleration("gpu", "Exists"),)): [True, True, False],
        RuleSet(affinity=((Expression("metadata.name", "In", ("c",)),),)): [False, False, True],
    }
    for rules, wanted in cases.items():
        assert list(fleet.allowed(fleet.rules(rules))) == wanted
    assert list(fleet.allowed(0)) == [True, True, True]
    assert fleet.rules(RuleSet()) == fleet.rules(RuleSet())


def test_what_was_held_before_its_node_had_gpus_is_taken_from_those_it_gets() -> None:
    fleet = fleet_of(node("a", gpus=0))
    fleet.hold(Seat("unknown", "a"), pod(milli=900))
    fleet.hold(Seat("known", "a", (0,)), pod(milli=900))
    fleet.hold(Seat("early", "b"), pod(milli=900))

    fleet.put(node("a", gpus=2))
    fleet.put(node("b", gpus=1))

    assert [list(fleet.columns.gpu[row][:2]) for row in (0, 1)] == [[100, 100], [100, 0]]


def test_shares_by_memory_are_counted_once_however_often_their_node_changes() -> None:
    fleet = fleet_of(node("a", gpus=1))
    fleet.hold(Seat("p", "a", (0,)), PodAsk(gpu=GpuAsk(1, memory=4_000)))
    for cpu in (1, 2, 3):
        fleet.put(node("a", gpus=1, cpu=cpu))
    fleet.remove("a")
    fleet.put(node("a", gpus=1))
    assert fleet.columns.memory_shares == 1
    fleet.release("p")
    assert fleet.columns.memory_shares == 0


def test_which_nodes_rules_allow_is_forgotten_when_many_others_were_asked_about() -> None:
    fleet = fleet_of(node("a"))
    first = fleet.rules(RuleSet((("zone", "first"),)))
    mask = fleet.allowed(first)
    assert fleet.allowed(first) is mask
    for number in range(600):
        fleet.allowed(fleet.rules(RuleSet((("zone", str(number)),))))
    assert fleet.allowed(first) is not mask
