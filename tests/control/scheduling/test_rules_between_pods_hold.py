"""Required affinity and anti-affinity between pods, and spread constraints that forbid: what pods say becomes what placement obeys."""

from typing import Any

import pytest

from corral.control.scheduling.board import Board
from corral.kinds.objects import Object
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.fleet import Fleet
from tests.control.scheduling.scene import NOW, board, bound, changed, decide, member, node, placed, pod, told

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
WEB = {"matchLabels": {"app": "web"}}


def nodes(zones: str = "aab", **options: Any) -> list[Any]:
    return [
        node(f"{zone}{index}", labels={HOST: f"{zone}{index}", ZONE: zone}, **options)
        for index, zone in enumerate(zones)
    ]


def term(selector: Object | None = None, level: str = HOST, **more: Any) -> Object:
    return {"labelSelector": WEB if selector is None else selector, "topologyKey": level, **more}


def apart(*terms: Object) -> Object:
    return {"affinity": {"podAntiAffinity": {REQUIRED: list(terms)}}}


def together(*terms: Object) -> Object:
    return {"affinity": {"podAffinity": {REQUIRED: list(terms)}}}


def even(level: str = ZONE, skew: int = 1, **more: Any) -> Object:
    one = {"maxSkew": skew, "topologyKey": level, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": WEB, **more}
    return {"topologySpreadConstraints": [one]}


def web(name: str, *, on: str = "", namespace: str = "ns", app: str = "web", **spec: Any) -> SchedulingPod:
    return pod(name, on=on, metadata={"labels": {"app": app, **spec.pop("labels", {})}, "namespace": namespace}, **spec)


def test_pods_that_are_to_be_apart_get_nodes_of_their_own() -> None:
    there = board(nodes(), [web(f"p{index}", **apart(term())) for index in range(4)])
    assert sorted(placed(there).values()) == ["a0", "a1", "b2"]
    assert list(told(there).values()) == ["0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."]


def test_whoever_runs_already_keeps_away_those_it_will_not_have_near() -> None:
    there = board(
        nodes("ab"), [web("first", on="a0", app="db", **apart(term(level=ZONE))), web("second"), web("third")]
    )
    assert set(placed(there).values()) == {"b1"}
    alone = board(
        nodes("a"), [web("first", on="a0", app="db", schedulerName="another", **apart(term())), web("second")]
    )
    assert placed(alone) == {}
    assert told(alone) == {
        "second": "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules."
    }


def test_a_rule_that_comes_later_counts_those_who_were_there_before_it() -> None:
    there = board(nodes("a"), [web("first", on="a0")])
    decide(there)
    there.take_pod(None, web("second", **apart(term())), NOW)
    assert placed(there) == {}


def test_room_is_found_as_soon_as_whoever_kept_away_is_gone() -> None:
    first = web("first", on="a0", **apart(term()))
    there = board(nodes("a"), [first, web("second")])
    assert placed(there) == {}
    there.take_pod(first, None, NOW)
    assert placed(there) == {"second": "a0"}


def test_pods_go_to_those_they_want_to_be_with_and_wait_for_them() -> None:
    follower = web("follower", app="side", **together(term(level=ZONE)))
    there = board(nodes("aab"), [follower])
    assert placed(there) == {}
    assert told(there) == {"follower": "0/3 nodes are available: 3 node(s) didn't match pod affinity rules."}
    leader = web("leader", nodeSelector={HOST: "b2"})
    there.take_pod(None, leader, NOW)
    assert placed(there) == {"leader": "b2"}
    assert placed(there) == {"follower": "b2"}


def test_the_first_of_its_own_kind_may_begin_anywhere() -> None:
    there = board(nodes("abc"), [web(f"p{index}", **together(term(level=ZONE))) for index in range(5)])
    assert len(set(placed(there).values())) == 1


def test_one_pod_must_meet_all_terms_of_an_affinity() -> None:
    both = together(term(level=ZONE), term({"matchLabels": {"tier": "front"}}, level=ZONE))
    halves = [web("web", on="a0"), web("front", on="a1", app="other", labels={"tier": "front"})]
    assert placed(board(nodes(), [*halves, web("p", app="p", **both)])) == {}
    whole = web("whole", on="b2", labels={"tier": "front"})
    assert placed(board(nodes(), [*halves, whole, web("p", app="p", **both)])) == {"p": "b2"}


NEAR_OTHERS: dict[str, tuple[Object, bool]] = {
    "its own namespace by default": (term(), True),
    "others when they are named": (term(namespaces=["other"]), False),
    "its own besides others": (term(namespaces=["ns", "other"]), True),
    "every namespace": (term(namespaceSelector={}), True),
    "another one by its name": (term(namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "x"}}), False),
    "its own by its name": (term(namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "ns"}}), True),
    "nobody without a selector": ({"topologyKey": HOST}, False),
    "everybody with an empty one": (term({}), True),
    "an expression": (term({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]}), True),
    "an expression that does not hold": (
        term({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}),
        False,
    ),
    "the same version only": (term(matchLabelKeys=["version"]), False),
    "other versions only": (term(mismatchLabelKeys=["version"]), True),
    "a level that nodes do not have": (term(level="rack"), False),
}


@pytest.mark.parametrize(("said", "keeps_apart"), NEAR_OTHERS.values(), ids=NEAR_OTHERS)
def test_whom_a_rule_means(said: Object, keeps_apart: bool) -> None:
    first, second = (
        web("first", on="a0", labels={"version": "1"}),
        web("second", labels={"version": "2"}, **apart(said)),
    )
    assert placed(board(nodes("a"), [first, second])) == ({} if keeps_apart else {"second": "a0"})


def test_a_rule_that_cannot_be_read_is_told_and_keeps_everybody_apart_where_it_runs() -> None:
    said = apart(term(namespaceSelector={"matchLabels": {"team": "vision"}}))
    there = board(nodes("ab"), [web("waits", **said)])
    assert placed(there) == {}
    assert "namespaceSelector asks for the label team" in told(there)["waits"]
    runs = board(nodes("a"), [web("runs", on="a0", **said), web("other", namespace="elsewhere")])
    assert placed(runs) == {}


def test_pods_are_spread_as_evenly_as_they_ask() -> None:
    there = board(nodes("aab"), [web(f"p{index}", **even()) for index in range(4)])
    zones = [where[0] for where in placed(there).values()]
    assert sorted(zones) == ["a", "a", "b", "b"]
    full = board(
        [*nodes("a"), node("b1", labels={ZONE: "b"}, pods=0)], [web(f"p{index}", **even()) for index in range(3)]
    )
    assert len(placed(full)) == 1
    assert "1 node(s) didn't match pod topology spread constraints" in told(full)["p1"]


SPREAD: dict[str, tuple[Object, int]] = {
    "nodes that taints keep it from count": (even(), 1),
    "unless it says otherwise": (even(nodeTaintsPolicy="Honor"), 3),
    "nodes that it does not select do not count": ({**even(), "nodeSelector": {ZONE: "a"}}, 3),
    "unless it says that they do": ({**even(nodeAffinityPolicy="Ignore"), "nodeSelector": {ZONE: "a"}}, 1),
    "too few domains": (even(nodeTaintsPolicy="Honor", minDomains=2), 1),
    "only what must be": (even(whenUnsatisfiable="ScheduleAnyway"), 3),
}


@pytest.mark.parametrize(("said", "fit"), SPREAD.values(), ids=SPREAD)
def test_which_domains_are_compared(said: Object, fit: int) -> None:
    closed = node("b1", labels={ZONE: "b"}, taints=[{"key": "x", "value": "y", "effect": "NoSchedule"}])
    assert len(placed(board([*nodes("a"), closed], [web(f"p{index}", **said) for index in range(3)]))) == fit


def test_pods_that_are_going_do_not_count_for_a_spread() -> None:
    going = changed(web("going", on="a0"), metadata={"deletionTimestamp": "2027-01-15T08:00:00Z"})
    there = board(
        nodes("ab"),
        [web("stays", on="a0"), web("b", on="b1"), going, web("p", nodeSelector={HOST: "a0"}, **even(HOST))],
    )
    assert placed(there) == {"p": "a0"}


def test_labels_that_change_while_a_pod_runs_count() -> None:
    first = web("first", on="a0", app="db")
    there = board(nodes("a"), [first])
    there.take_pod(first, web("first", on="a0"), NOW)
    there.take_pod(None, web("second", **apart(term())), NOW)
    assert placed(there) == {}


def test_a_gang_keeps_its_rules_while_it_is_seated_as_a_whole() -> None:
    marks = {"labels": {"corral.dev/gang": "train", "app": "web"}, "annotations": {"corral.dev/gang-size": "3"}}
    pods = [changed(member(f"p{index}", "train", 3, **apart(term())), metadata=marks) for index in range(3)]
    assert sorted(placed(board(nodes("abc", gpus=8), pods)).values()) == ["a0", "b1", "c2"]
    assert placed(board(nodes("ab", gpus=8), pods)) == {}


def test_nothing_is_remembered_of_rules_whose_pods_are_gone() -> None:
    there = board(nodes("abc"))
    run(there, "one")
    held = crowds(there.room.fleet)
    for name in ("two", "three", "four"):
        run(there, name)
    assert crowds(there.room.fleet) == held == 0


def run(there: Board, name: str) -> None:
    """Lets a pod with a rule of its own come, run, and go."""
    selector = {"matchLabels": {"job": name}}
    waits = web(name, labels={"job": name}, **apart(term(selector)))
    there.take_pod(None, waits, NOW)
    (decision,) = decide(there).decisions
    runs = bound(waits, decision.node)
    there.take_pod(waits, runs, NOW)
    there.take_pod(runs, None, NOW)
    decide(there)


def crowds(fleet: Fleet) -> int:
    return len(fleet.columns.crowds)
