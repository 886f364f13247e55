"""The definitions that a server brings: created once, renewed by a later release, left alone where they are not ours."""

from collections.abc import AsyncIterator
from copy import deepcopy
from pathlib import Path

import pytest

from corral.engine.apiserver.bootstrap import started_world
from corral.engine.apiserver.custom.definition_validation import definition_findings
from corral.engine.apiserver.custom.naming import is_established
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.training_definitions import brought_definitions, ensure_definitions
from corral.engine.apiserver.world import World
from corral.kinds.training.schema_marks import FINGERPRINT
from tests.apiserver.rest.in_process import CRDS, Verbs

pytestmark = pytest.mark.anyio
NAME = "tfjobs.kubeflow.org"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = await started_world(tmp_path)
    yield world
    await world.store.close()


def stored(world: World, name: str = NAME) -> Object:
    return next(entry.decoded() for entry in Verbs(world, CRDS).entries() if entry.name == name)


async def test_all_kinds_are_served_from_the_start(world: World) -> None:
    for definition in brought_definitions():
        name = definition["metadata"]["name"]
        assert is_established(stored(world, name))
        plural, _, group = name.partition(".")
        for version in definition["spec"]["versions"]:
            assert world.catalog.find(group, version["name"], plural) is not None


async def test_looking_again_writes_nothing(world: World) -> None:
    before = stored(world)
    await ensure_definitions(world)
    assert stored(world) == before


async def test_a_definition_of_another_release_is_renewed_and_keeps_what_users_added(world: World) -> None:
    def age(obj: Object) -> None:
        obj["metadata"]["annotations"] = {FINGERPRINT: "older", "theirs": "yes"}
        obj["metadata"]["labels"] = {"team": "a"}
        obj["spec"]["versions"] = obj["spec"]["versions"][:1]

    await Verbs(world, CRDS).change(NAME, age)
    assert world.catalog.find("kubeflow.org", "v1beta1", "tfjobs") is None

    await ensure_definitions(world)

    now = stored(world)
    wanted = next(one for one in brought_definitions() if one["metadata"]["name"] == NAME)
    assert now["spec"]["versions"] == wanted["spec"]["versions"]
    assert now["metadata"]["labels"] == {"team": "a"}
    assert now["metadata"]["annotations"] == {**wanted["metadata"]["annotations"], "theirs": "yes"}
    assert world.catalog.find("kubeflow.org", "v1beta1", "tfjobs") is not None


async def test_a_definition_of_somebody_else_is_left_alone(world: World) -> None:
    def adopt(obj: Object) -> None:
        obj["metadata"]["annotations"] = {"controller-gen.kubebuilder.io/version": "v0.14.0"}
        obj["spec"]["versions"] = obj["spec"]["versions"][:1]

    await Verbs(world, CRDS).change(NAME, adopt)
    before = stored(world)
    await ensure_definitions(world)
    assert stored(world) == before


async def test_a_definition_that_cannot_be_renewed_is_told_and_the_rest_served(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stored version that ours does not have cannot be dropped, so that definition stays as it is."""

    def keep_another(obj: Object) -> None:
        older = deepcopy(obj["spec"]["versions"][0])
        obj["metadata"]["annotations"] = {FINGERPRINT: "older"}
        obj["spec"]["versions"] = [{**older, "name": "v0", "storage": True}, {**older, "storage": False}]

    await Verbs(world, CRDS).change(NAME, keep_another)
    before = stored(world)
    await ensure_definitions(world)
    assert stored(world) == before
    assert f"corral: {NAME} is not up to date: " in capsys.readouterr().err


@pytest.mark.parametrize("definition", brought_definitions(), ids=lambda one: str(one["metadata"]["name"]))
async def test_what_is_stored_unseen_is_valid(definition: Object) -> None:
    stored_as = [one["name"] for one in definition["spec"]["versions"] if one["storage"]]
    definition["status"] = {"storedVersions": stored_as}
    assert definition_findings(definition) == []
