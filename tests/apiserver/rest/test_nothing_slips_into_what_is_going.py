"""A namespace and a definition that are being deleted take nothing new, and a definition empties itself come what may."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from corral.engine.apiserver import failures, trying
from corral.engine.apiserver.bootstrap import started_world
from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.storage.entry import Entry
from corral.engine.apiserver.world import World
from tests.apiserver.rest.in_process import CRDS, Verbs, definition

pytestmark = pytest.mark.anyio
NAME = "things.example.com"
THINGS = "example.com/v1/things"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = await started_world(tmp_path)
    yield world
    await world.store.close()


async def defined(world: World) -> tuple[Verbs, Verbs]:
    crds = Verbs(world, CRDS)
    await crds.create(NAME, **definition("things", "Thing"))
    return crds, Verbs(world, THINGS, "default")


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize("late", range(0, 12, 3))
async def test_what_is_created_in_a_namespace_is_there_before_its_end_begins(world: World, late: int) -> None:
    namespaces, maps = Verbs(world, "v1/namespaces"), Verbs(world, "v1/configmaps", "team")
    await namespaces.create("team")

    async def delete() -> None:
        await turns(late)
        await namespaces.delete("team")

    async def create(number: int) -> Object:
        await turns(number)
        return await maps.create(f"m-{number}")

    _, *made = await asyncio.gather(delete(), *(create(n) for n in range(12)), return_exceptions=True)

    ended = int(namespaces.get("team")["metadata"]["resourceVersion"])
    refused = [each for each in made if isinstance(each, ApiFailure)]
    assert all(each.code == 403 and "because it is being terminated" in each.message for each in refused)
    assert all(int(each["metadata"]["resourceVersion"]) < ended for each in made if isinstance(each, dict))


@pytest.mark.parametrize("late", range(0, 12, 3))
async def test_a_definition_that_goes_leaves_no_object_behind(world: World, late: int) -> None:
    crds, things = await defined(world)

    async def delete() -> None:
        await turns(late)
        await crds.delete(NAME)

    async def create(number: int) -> Object:
        await turns(number)
        return await things.create(f"t-{number}")

    await asyncio.gather(delete(), *(create(n) for n in range(12)), return_exceptions=True)
    await crds.gone(NAME)

    assert things.entries() == []


async def test_a_create_is_refused_while_its_definition_goes(world: World) -> None:
    crds, things = await defined(world)
    await things.create("held", metadata={"finalizers": ["example.com/hold"]})
    await crds.delete(NAME)

    with pytest.raises(ApiFailure) as caught:
        await things.create("late")

    detail = "create not allowed while custom resource definition is terminating"
    assert (caught.value.code, caught.value.message) == (403, f'{NAME} "late" is forbidden: {detail}')


async def test_a_definition_waits_for_the_finalizers_of_its_objects(world: World) -> None:
    crds, things = await defined(world)
    await things.create("held", metadata={"finalizers": ["example.com/hold"]})
    await things.create("free")
    await crds.delete(NAME)
    await things.gone("free")
    assert things.get("held")["metadata"]["deletionTimestamp"]

    await things.change("held", lambda obj: obj["metadata"].pop("finalizers"))

    await crds.gone(NAME)


async def test_a_definition_without_a_served_version_still_takes_its_objects_along(world: World) -> None:
    crds, things = await defined(world)
    await things.create("a")
    await crds.change(NAME, lambda obj: obj["spec"]["versions"][0].update(served=False))
    assert world.catalog.find("example.com", "v1", "things") is None

    await crds.delete(NAME)
    await crds.gone(NAME)

    assert things.entries() == []


async def test_a_full_disk_only_delays_the_end_of_a_definition(
    world: World, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trying, "FIRST_PAUSE_SECONDS", 0.01)
    crds, things = await defined(world)
    await things.create("a")
    left = 2
    remove = world.store.remove

    async def stumbling(*args: Any) -> Entry:
        nonlocal left
        if left:
            left -= 1
            raise failures.insufficient_storage("the disk is full")
        return await remove(*args)

    monkeypatch.setattr(world.store, "remove", stumbling)
    await crds.delete(NAME)
    await crds.gone(NAME)

    assert things.entries() == []
    assert f"deleting {NAME}: the disk is full; again in 0.01 s" in capfd.readouterr().err


async def test_a_definition_goes_on_going_after_a_restart(tmp_path: Path) -> None:
    before = await started_world(tmp_path)
    crds, things = await defined(before)
    await things.create("held", metadata={"finalizers": ["example.com/hold"]})
    await crds.delete(NAME)
    await before.store.close()
    after = await started_world(tmp_path)

    await Verbs(after, THINGS, "default").change("held", lambda obj: obj["metadata"].pop("finalizers"))

    await Verbs(after, CRDS).gone(NAME)
    await after.store.close()


async def test_a_collection_is_deleted_in_few_commits(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = Verbs(world, "v1/configmaps", "default")
    await asyncio.gather(*(maps.create(f"m-{n}") for n in range(100)))
    log, commits = world.store._log, 0
    commit = log.commit

    def counted() -> None:
        nonlocal commits
        commits += 1
        commit()

    monkeypatch.setattr(log, "commit", counted)
    await maps.delete_all()

    assert maps.entries() == []
    assert commits < 20
