"""Nodes that are gone or not ready count as lost, from when that began; unknown nodes are no news."""

from collections.abc import Sequence

import msgspec

from corral.control.mirror import Delta
from corral.control.training.nodes import LostNodes, NodeView
from corral.kinds.references import ObjectKey
from corral.testing.manual_clock import ManualClock

NOW = 1_000_000.0


class HeldNodes:
    """A cache as `LostNodes` uses it."""

    def __init__(self, *, has_synced: bool = True) -> None:
        self.has_synced = has_synced
        self.held: dict[str, NodeView] = {}
        self._told = lambda deltas: None

    def get(self, key: ObjectKey) -> NodeView | None:
        return self.held.get(key.name)

    def subscribe(self, subscriber: object) -> None:
        self._told = subscriber  # type: ignore[assignment]

    def put(self, name: str, ready: str | None, since: str = "1970-01-12T13:46:00Z") -> None:
        conditions = [] if ready is None else [{"type": "Ready", "status": ready, "lastTransitionTime": since}]
        new = msgspec.convert({"metadata": {"name": name}, "status": {"conditions": conditions}}, NodeView)
        old = self.held.get(name)
        self.held[name] = new
        self._tell([Delta(ObjectKey("", name), old, new)])

    def drop(self, name: str) -> None:
        self._tell([Delta(ObjectKey("", name), self.held.pop(name), None)])

    def _tell(self, deltas: Sequence[Delta[NodeView]]) -> None:
        self._told(deltas)  # type: ignore[no-untyped-call]


def watched(nodes: HeldNodes) -> tuple[LostNodes, ManualClock, list[str]]:
    clock, changed = ManualClock(NOW), list[str]()
    return LostNodes(nodes, clock, changed.append), clock, changed  # type: ignore[arg-type]


def test_a_node_that_is_not_ready_is_lost_since_it_said_so() -> None:
    nodes = HeldNodes()
    lost, _, changed = watched(nodes)
    nodes.put("good", "True")
    nodes.put("bad", "Unknown")
    assert lost.among(["good", "bad", ""]) == {"bad": 999_960.0}
    assert changed == ["good", "bad"]


def test_only_a_change_of_readiness_wakes() -> None:
    nodes = HeldNodes()
    _, _, changed = watched(nodes)
    for ready in ("True", "True", "False", "False", "True"):
        nodes.put("one", ready)
    assert changed == ["one"] * 3


def test_a_node_that_has_not_spoken_yet_is_not_lost() -> None:
    nodes = HeldNodes()
    lost, _, _ = watched(nodes)
    nodes.put("new", None)
    assert lost.among(["new"]) == {}


def test_a_deleted_node_is_lost_from_then_on_and_found_again_when_it_returns() -> None:
    nodes = HeldNodes()
    lost, _, changed = watched(nodes)
    nodes.put("one", "True")
    nodes.drop("one")
    assert lost.among(["one"]) == {"one": NOW}
    nodes.put("one", "True")
    assert lost.among(["one"]) == {}
    assert changed == ["one"] * 3


def test_a_node_nobody_knows_is_lost_from_when_it_was_first_missed() -> None:
    nodes = HeldNodes()
    lost, _, _ = watched(nodes)
    assert lost.among(["ghost"]) == {"ghost": NOW}
    assert lost.among(["ghost"]) == {"ghost": NOW}


def test_nothing_is_lost_while_nodes_cannot_be_read() -> None:
    lost, _, _ = watched(HeldNodes(has_synced=False))
    assert lost.among(["any"]) == {}
