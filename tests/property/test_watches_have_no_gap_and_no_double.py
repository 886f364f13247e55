"""W1: from any revision, the events of a watch are exactly the changes after it, in order.

Random writes are made to a real store; watches with different selectors begin at random moments, from random revisions
or from the state. Replaying what each of them saw must give what a list shows at the end.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.engine.apiserver.bootstrap import started_world
from corral.engine.apiserver.http.negotiation import JSON
from corral.engine.apiserver.http.options import DeleteOptions, ListOptions, WriteOptions
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.rest.deleting import delete
from corral.engine.apiserver.rest.filter import Filter
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.rest.watching import Watcher
from corral.engine.apiserver.rest.writing import Write, change, create
from corral.engine.apiserver.world import World

NAMES = ("a", "b", "c")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(NAMES), st.sampled_from(("x", "y"))),
        st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just("")),
        st.tuples(st.just("watch"), st.sampled_from(("", "team=x")), st.sampled_from(("state", "revision"))),
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_replayed_events_give_the_listed_state(steps: list[tuple[str, str, str]]) -> None:
    """Invariants W1 and W6."""
    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(_scenario(Path(directory), steps))


async def _scenario(directory: Path, steps: list[tuple[str, str, str]]) -> None:
    world = await started_world(directory)
    seen = []
    for action, first, second in steps:
        if action == "put":
            await _put(world, first, second)
        elif action == "delete":
            await _delete(world, first)
        else:
            seen.append(_Seen(world, first, second))
    for watch in seen:
        assert watch.listed() == watch.replayed()
    await world.store.close()


class _Seen:
    """A watch and the state from which it began."""

    def __init__(self, world: World, selector: str, start: str) -> None:
        self._view = _view(world)
        self._options = ListOptions(label_selector=selector)
        self._filter = Filter(self._view, Target("", "v1", "configmaps"), self._options)
        self._world = world
        self._begin = self.listed() if start == "revision" else {}
        revision = world.store.revision if start == "revision" else None
        self._watcher = Watcher(world, self._view, self._filter)
        self._before = self._watcher.before(ListOptions(label_selector=selector, revision=revision))
        world.watches.begin(world.store, "/configmaps", self._watcher)

    def listed(self) -> dict[str, Any]:
        entries = self._world.store.collection("/configmaps").scan()
        return {e.name: e.decoded() for e in entries if self._filter.matches(e)}

    def replayed(self) -> dict[str, Any]:
        state = dict(self._begin)
        last = 0
        for event in self._events():
            obj = event["object"]
            name, revision = obj["metadata"]["name"], int(obj["metadata"]["resourceVersion"])
            if event["type"] == "ADDED":
                assert name not in state
            else:
                assert name in state
                assert revision > last
            last = max(last, revision)
            if event["type"] == "DELETED":
                del state[name]
            else:
                state[name] = obj
        return state

    def _events(self) -> Iterator[dict[str, Any]]:
        for frame in [*self._before, *self._watcher.queued()]:
            yield msgspec.json.decode(frame)


def _view(world: World) -> View:
    resource = world.catalog.find("", "v1", "configmaps")
    assert resource is not None
    return View(resource, JSON)


async def _put(world: World, name: str, team: str) -> None:
    target = Target("", "v1", "configmaps", "default", name)
    write = Write(world, _view(world), target, WriteOptions(field_manager="test"), "")
    obj: dict[str, Any] = {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"name": name, "labels": {"team": team}},
    }
    if world.store.collection("/configmaps").get(f"default/{name}") is None:
        await create(write, obj)
    else:
        await change(write, lambda _: {**obj, "metadata": {**obj["metadata"], "namespace": "default"}})


async def _delete(world: World, name: str) -> None:
    if world.store.collection("/configmaps").get(f"default/{name}") is not None:
        await delete(world, _view(world), Target("", "v1", "configmaps", "default", name), DeleteOptions())
