"""W5 and what surrounds a watch: the head of a table comes first, and a stream that never began leaves nothing."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from corral.engine.apiserver.bootstrap import started_world
from corral.engine.apiserver.http.negotiation import JSON, Form
from corral.engine.apiserver.http.options import ListOptions, WriteOptions
from corral.engine.apiserver.http.request import Message, Request
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.rest.filter import Filter
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.rest.watching import Watcher, watch
from corral.engine.apiserver.rest.writing import Write, create
from corral.engine.apiserver.world import World

pytestmark = pytest.mark.anyio
TARGET = Target("", "v1", "configmaps", "default")


async def made(world: World, name: str) -> None:
    obj = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}}
    await create(Write(world, view(world, JSON), TARGET, WriteOptions(), "test"), obj)


def view(world: World, form: Form) -> View:
    resource = world.catalog.find("", "v1", "configmaps")
    assert resource is not None
    return View(resource, form)


async def test_the_head_of_a_table_comes_with_the_first_event_sent(tmp_path: Path) -> None:
    world = await started_world(tmp_path)
    await made(world, "before")
    shown = view(world, Form("table"))
    watcher = Watcher(world, shown, Filter(shown, TARGET, ListOptions()))
    before = watcher.before(ListOptions())
    world.watches.begin(world.store, "/configmaps", watcher)

    await made(world, "after")  # heard before a single byte of what came before is made

    tables: list[Any] = [msgspec.json.decode(frame)["object"] for frame in [*before, *watcher.queued()]]
    assert [bool(table["columnDefinitions"]) for table in tables] == [True, False]
    await world.store.close()


async def test_a_stream_that_cannot_begin_leaves_no_listener(tmp_path: Path) -> None:
    world = await started_world(tmp_path)

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        raise ConnectionError("the client has gone")

    scope = {"method": "GET", "path": "/", "raw_path": b"/", "headers": [], "query_string": b""}
    stream = watch(world, view(world, JSON), TARGET, ListOptions(watch=True), Request(scope, receive))
    assert len(world.watches) == 1

    with pytest.raises(ConnectionError):
        await stream.send(send)

    assert len(world.watches) == 0
    await world.store.close()
