"""Garbage: which changes raise a question, and what the answer is."""

from typing import NamedTuple

import pytest

from corral.kinds.references import ApiResource, ObjectKey
from corral.reconcile.builtin.garbage.graph import Graph, Node, Owner
from corral.reconcile.builtin.garbage.verdict import (
    OwnerState,
    complaint,
    foreground_step,
    orphan_step,
    verdict,
)
from corral.reconcile.plan import Action, Delete, Patch

THING = ApiResource("", "v1", "Thing", "things")
WIDE = ApiResource("", "v1", "Wide", "wides", namespaced=False)


def node(
    name: str, *owners: Owner, finalizers: tuple[str, ...] = (), deleting: bool = False, namespace: str = "ns"
) -> Node:
    return Node(THING, ObjectKey(namespace, name), f"uid-{name}", owners, deleting, finalizers)


def owner(name: str, *, blocks: bool = True, uid: str = "", kind: str = "Thing") -> Owner:
    return Owner("v1", kind, name, uid or f"uid-{name}", blocks)


def graph_of(*nodes: Node) -> Graph:
    graph = Graph()
    for one in nodes:
        graph.put(one)
    return graph


SOLID, ABSENT, WAITING = OwnerState.SOLID, OwnerState.ABSENT, OwnerState.WAITING


class Case(NamedTuple):
    item: Node
    states: dict[str, OwnerState]
    want: str
    dependents: tuple[Node, ...] = ()


TWO = (owner("a"), owner("b"))
CHILD = node("child", owner("item"))
GOING_CHILD = node("child", owner("item"), finalizers=("foregroundDeletion",), deleting=True)

CASES: dict[str, Case] = {
    "an owner that stays keeps it": Case(node("item", owner("a")), {"uid-a": SOLID}, "nothing"),
    "without owners nothing is garbage": Case(node("item"), {}, "nothing"),
    "without any owner left it goes": Case(node("item", owner("a")), {"uid-a": ABSENT}, "delete Background"),
    "one owner is enough, the other reference goes": Case(
        node("item", *TWO), {"uid-a": ABSENT, "uid-b": SOLID}, "unreference 0"
    ),
    "an owner that waits is as good as gone when another stays": Case(
        node("item", *TWO), {"uid-a": SOLID, "uid-b": WAITING}, "unreference 1"
    ),
    "it goes for an owner that waits": Case(node("item", owner("a")), {"uid-a": WAITING}, "delete Background"),
    "and in the foreground when others depend on it": Case(
        node("item", owner("a")), {"uid-a": WAITING}, "delete Foreground", (CHILD,)
    ),
    "in a circle it stops blocking first": Case(
        node("item", owner("a")), {"uid-a": WAITING}, "unblock, delete Foreground", (GOING_CHILD,)
    ),
    "its own finalizers say how it goes": Case(
        node("item", owner("a"), finalizers=("orphan",)), {"uid-a": ABSENT}, "delete Orphan"
    ),
}


def told(action: Action) -> str:
    if isinstance(action, Delete):
        return f"delete {action.propagation}"
    assert isinstance(action, Patch)
    removed = [entry["path"].rpartition("/")[2] for entry in action.body if entry["op"] == "remove"]
    return f"unreference {','.join(removed)}" if removed else "unblock"


@pytest.mark.parametrize("case", CASES)
def test_verdicts(case: str) -> None:
    scene = CASES[case]
    plan = verdict(scene.item, "7", scene.states, scene.dependents)
    assert (", ".join(map(told, plan)) or "nothing") == scene.want


def test_a_deletion_holds_only_for_what_was_read() -> None:
    [delete] = verdict(node("item", owner("a")), "7", {"uid-a": ABSENT}, ())
    assert isinstance(delete, Delete)
    assert (delete.uid, delete.version) == ("uid-item", "7")


QUESTIONS: dict[str, tuple[list[Node], Node | str, set[str]]] = {
    "an owner that is known raises no question": ([node("a")], node("item", owner("a")), set()),
    "an owner that is not known does": ([], node("item", owner("a")), {"uid-item"}),
    "so does one under another name": ([node("a")], node("item", owner("x", uid="uid-a")), {"uid-item"}),
    "or of another kind": ([node("a")], node("item", owner("a", kind="Other")), {"uid-item"}),
    "or in another namespace": ([node("a", namespace="far")], node("item", owner("a")), {"uid-item"}),
    "when an owner goes, its dependents are asked": ([node("a"), node("item", owner("a"))], "uid-a", {"uid-item"}),
    "when a dependent goes, an owner that waits is asked": (
        [node("a", finalizers=("foregroundDeletion",), deleting=True), node("item", owner("a"))],
        "uid-item",
        {"uid-a"},
    ),
    "when an owner begins to wait, everybody is asked": (
        [node("a"), node("item", owner("a"))],
        node("a", finalizers=("foregroundDeletion",), deleting=True),
        {"uid-a", "uid-item"},
    ),
    "when a dependent blocks no longer, the owner is asked": (
        [node("a", finalizers=("foregroundDeletion",), deleting=True), node("item", owner("a"))],
        node("item", owner("a", blocks=False)),
        {"uid-a"},
    ),
    "an orphaning deletion is work": ([], node("a", finalizers=("orphan",), deleting=True), {"uid-a"}),
}


@pytest.mark.parametrize("case", QUESTIONS)
def test_changes_raise_questions(case: str) -> None:
    before, change, want = QUESTIONS[case]
    graph = graph_of(*before)
    consequences = graph.remove(change) if isinstance(change, str) else graph.put(change)
    assert set(consequences.look_at) == want


def test_a_reference_across_namespaces_is_complained_about_once() -> None:
    graph = graph_of(node("a", namespace="far"))
    [wrong] = graph.put(node("item", owner("a"))).misplaced
    assert complaint(wrong).reason == "OwnerRefInvalidNamespace"
    assert not graph.put(node("item", owner("a"))).misplaced
    late = graph_of(node("item", owner("a")))
    assert late.put(node("a", namespace="far")).misplaced


def test_a_cluster_wide_owner_counts_everywhere() -> None:
    graph = Graph()
    graph.put(Node(WIDE, ObjectKey("", "wide"), "uid-wide"))
    item = node("item", Owner("v1", "Wide", "wide", "uid-wide"))
    assert not graph.put(item).look_at
    assert graph.is_settled(item)


def test_forgetting_a_kind_proves_nothing_and_seeing_it_go_does() -> None:
    graph = graph_of(node("a"), node("item", owner("a")))
    assert "uid-item" in graph.forget(THING).look_at
    assert not graph.was_seen_deleted("uid-a")
    graph = graph_of(node("a"), node("item", owner("a")))
    graph.remove("uid-a")
    assert graph.was_seen_deleted("uid-a")


def test_an_owner_waits_only_for_those_that_block() -> None:
    item = node("a", finalizers=("x", "foregroundDeletion"), deleting=True)
    assert not foreground_step(item, [node("item", owner("a"))])
    [patch] = foreground_step(item, [node("item", owner("a", blocks=False))])
    assert isinstance(patch, Patch)
    assert patch.body[1:] == [
        {"op": "test", "path": "/metadata/finalizers/1", "value": "foregroundDeletion"},
        {"op": "remove", "path": "/metadata/finalizers/1"},
    ]


def test_orphans_are_freed_before_their_owner_goes() -> None:
    item = node("a", finalizers=("orphan",), deleting=True)
    plan = orphan_step(item, [node("one", owner("a")), node("two", owner("x"), owner("a"))])
    assert [len(stage) for stage in plan.stages] == [2, 1]
