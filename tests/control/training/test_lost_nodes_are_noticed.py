"""Nodes that are gone or silent count as lost after a grace, once a live look agrees; what was not heard counts as nothing."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from corral.control.mirror import Delta
from corral.control.training.nodes import ASKED_AGAIN_AFTER, CONFIRMED_FOR, LostNodes, NodeView
from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.refusals import ForbiddenError, NotFoundError, UnreachableError
from corral.testing.manual_clock import ManualClock

pytestmark = pytest.mark.anyio

NOW = 1_000_000.0
GRACE = 60.0


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def node(name: str, ready: str | None) -> Object:
    conditions = [] if ready is None else [{"type": "Ready", "status": ready}]
    return {"metadata": {"name": name}, "status": {"conditions": conditions}}


class Nodes:
    """A cache as `LostNodes` uses it, and the server behind it, which may know better."""

    def __init__(self, *, has_synced: bool = True) -> None:
        self.has_synced = has_synced
        self.is_current = True
        self.held: dict[str, NodeView] = {}
        self.there: dict[str, Object] = {}
        self.refusal: CorralError | None = None
        self.reads: list[str] = []
        self._told: Any = None

    def subscribe(self, subscriber: object) -> None:
        self._told = subscriber

    def put(self, name: str, ready: str | None) -> None:
        """Changes a node, and the cache hears of it."""
        self.there[name] = node(name, ready)
        old, new = self.held.get(name), msgspec.convert(self.there[name], NodeView)
        self.held[name] = new
        self._tell([Delta(ObjectKey("", name), old, new)])

    def drop(self, name: str) -> None:
        """Deletes a node, and the cache hears of it."""
        del self.there[name]
        self._tell([Delta(ObjectKey("", name), self.held.pop(name), None)])

    def _tell(self, deltas: Sequence[Delta[NodeView]]) -> None:
        self._told(deltas)


class Cache:
    """The side of `Nodes` that is held."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self.subscribe = nodes.subscribe

    @property
    def has_synced(self) -> bool:
        return self._nodes.has_synced

    @property
    def is_current(self) -> bool:
        return self._nodes.is_current

    def get(self, key: ObjectKey) -> NodeView | None:
        return self._nodes.held.get(key.name)


class Server:
    """The side of `Nodes` that is asked."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes

    async def get(self, resource: ApiResource, key: ObjectKey) -> Object:
        self._nodes.reads.append(key.name)
        if self._nodes.refusal is not None:
            raise self._nodes.refusal
        if key.name not in self._nodes.there:
            raise NotFoundError(f"nodes {key.name} not found")
        return self._nodes.there[key.name]


class Watched:
    """`LostNodes` over a cache that a test fills."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.clock = ManualClock(NOW)
        self.changed: list[str] = []
        self.lost = LostNodes(Cache(nodes), Server(nodes), self.clock, self.changed.append, GRACE)  # type: ignore[arg-type]

    async def look(self, *names: str) -> dict[str, float]:
        """Looks as the operator does, and returns for how long each of the lost nodes is said to be."""
        if await self.lost.confirm(self.lost.among(names)):
            assert not await self.lost.confirm(self.lost.among(names))
        return {name: self.clock.now() - since for name, since in self.lost.among(names).items()}

    async def later(self, seconds: float, *names: str) -> dict[str, float]:
        await self.clock.advance(seconds)
        return await self.look(*names)


@pytest.fixture
def watched() -> Watched:
    return Watched(Nodes())


async def test_a_silent_node_is_lost_from_when_it_was_first_seen(watched: Watched) -> None:
    watched.nodes.put("good", "True")
    watched.nodes.put("bad", "Unknown")
    assert await watched.look("good", "bad", "") == {"bad": 0.0}
    assert await watched.later(20, "good", "bad") == {"bad": 20.0}
    assert watched.nodes.reads == []
    assert await watched.later(GRACE - 20, "bad") == {"bad": GRACE}
    assert watched.nodes.reads == ["bad"]


async def test_a_node_that_says_itself_that_it_is_not_ready_is_alive(watched: Watched) -> None:
    watched.nodes.put("one", "False")
    watched.nodes.put("new", None)
    assert await watched.look("one", "new") == {}
    assert await watched.later(GRACE * 2, "one", "new") == {}


async def test_only_a_change_of_hearing_wakes(watched: Watched) -> None:
    for ready in ("True", "True", "False", "Unknown", "Unknown", "True"):
        watched.nodes.put("one", ready)
    assert watched.changed == ["one"] * 3


async def test_a_deleted_node_is_lost_and_found_again_when_it_returns(watched: Watched) -> None:
    watched.nodes.put("one", "True")
    watched.nodes.drop("one")
    assert await watched.look("one") == {"one": 0.0}
    assert await watched.later(GRACE, "one") == {"one": GRACE}
    watched.nodes.put("one", "True")
    assert await watched.look("one") == {}
    assert watched.changed == ["one"] * 3
    watched.nodes.drop("one")
    assert await watched.look("one") == {"one": 0.0}


async def test_silence_before_a_deletion_counts(watched: Watched) -> None:
    watched.nodes.put("one", "Unknown")
    await watched.look("one")
    await watched.clock.advance(50)
    watched.nodes.drop("one")
    assert await watched.later(10, "one") == {"one": GRACE}


async def test_nothing_is_lost_while_nodes_cannot_be_read() -> None:
    watched = Watched(Nodes(has_synced=False))
    assert await watched.look("any") == {}
    assert await watched.later(GRACE, "any") == {}


async def test_nothing_is_newly_lost_while_the_server_is_not_heard(watched: Watched) -> None:
    watched.nodes.is_current = False
    watched.nodes.put("silent", "Unknown")
    assert await watched.look("silent", "absent") == {}
    assert await watched.later(3600, "silent", "absent") == {}
    assert watched.nodes.reads == []


async def test_the_time_in_which_the_server_is_not_heard_does_not_count(watched: Watched) -> None:
    watched.nodes.put("one", "Unknown")
    await watched.look("one")
    watched.nodes.is_current = False
    assert await watched.later(3600, "one") == {"one": 0.0}
    watched.nodes.is_current = True
    assert await watched.later(GRACE - 1, "one") == {"one": GRACE - 1}
    assert watched.nodes.reads == []


@pytest.mark.parametrize("ready", ["True", "False", None])
async def test_a_node_that_a_live_look_finds_well_is_not_lost_whatever_the_cache_holds(
    watched: Watched, ready: str | None
) -> None:
    watched.nodes.there = {"new": node("new", ready)}
    await watched.look("new")
    assert await watched.later(GRACE, "new") == {"new": 0.0}
    assert await watched.later(GRACE - 1, "new") == {"new": GRACE - 1}
    assert watched.nodes.reads == ["new"]


async def test_a_grace_that_ends_before_the_live_look_is_not_over() -> None:
    watched = Watched(Nodes())
    watched.lost.among(["one"])
    await watched.clock.advance(GRACE * 5)
    (since,) = watched.lost.among(["one"]).values()
    assert watched.clock.now() - since == GRACE - 1


@pytest.mark.parametrize("refusal", [ForbiddenError("no"), UnreachableError("cut", delivered=False)])
async def test_a_node_that_cannot_be_read_is_not_given_up_but_read_again(
    watched: Watched, refusal: CorralError
) -> None:
    watched.nodes.refusal = refusal
    await watched.look("one")
    assert await watched.later(GRACE, "one") == {"one": GRACE - ASKED_AGAIN_AFTER}
    assert await watched.later(ASKED_AGAIN_AFTER - 1, "one") == {"one": GRACE - 1}
    assert watched.nodes.reads == ["one"]
    watched.nodes.refusal = None
    assert await watched.later(1, "one") == {"one": GRACE + ASKED_AGAIN_AFTER}
    assert watched.nodes.reads == ["one", "one"]


async def test_one_live_look_serves_all_jobs_for_a_while(watched: Watched) -> None:
    await watched.look("one")
    await watched.later(GRACE, "one")
    assert await watched.later(CONFIRMED_FOR, "one") == {"one": GRACE + CONFIRMED_FOR}
    assert watched.nodes.reads == ["one"]
    assert await watched.later(1, "one") == {"one": GRACE + CONFIRMED_FOR + 1}
    assert watched.nodes.reads == ["one", "one"]


async def test_nodes_that_left_are_forgotten(watched: Watched) -> None:
    for number in range(200):
        watched.nodes.put(f"spot-{number}", "True")
        watched.nodes.drop(f"spot-{number}")
        await watched.look(f"spot-{number}")
        await watched.clock.advance(GRACE)
    assert len(watched.lost) <= 10
    for number in range(1000):
        watched.nodes.put(f"unused-{number}", "True")
        watched.nodes.drop(f"unused-{number}")
    assert len(watched.lost) <= 10
