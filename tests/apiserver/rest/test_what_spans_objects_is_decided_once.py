"""Names of definitions, addresses of services, generated names, the default priority: one winner, and no leftovers."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from corral.engine.apiserver.bootstrap import started_world
from corral.engine.apiserver.custom.naming import is_established
from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.world import World
from tests.apiserver.rest.in_process import CRDS, Verbs, definition

pytestmark = pytest.mark.anyio
PORTS = [{"port": 80}]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = await started_world(tmp_path)
    yield world
    await world.store.close()


def established(crds: Verbs) -> int:
    """Returns how many definitions of the tests' own group are established."""
    found = [entry.decoded() for entry in crds.entries()]
    return sum(is_established(one) for one in found if one["spec"]["group"] == "example.com")


async def test_of_many_definitions_of_one_kind_one_is_established(world: World) -> None:
    crds = Verbs(world, CRDS)
    plurals = [f"things{number}" for number in range(6)]

    await asyncio.gather(*(crds.create(f"{p}.example.com", **definition(p, "Thing")) for p in plurals))

    assert established(crds) == 1


async def test_a_name_that_is_given_up_is_given_to_one_who_waits_for_it(world: World) -> None:
    crds = Verbs(world, CRDS)
    await crds.create("firsts.example.com", **definition("firsts", "Thing"))

    await asyncio.gather(
        crds.delete("firsts.example.com"),
        *(crds.create(f"{p}.example.com", **definition(p, "Thing")) for p in ("seconds", "thirds")),
    )
    await crds.gone("firsts.example.com")
    for name in ("seconds.example.com", "thirds.example.com"):
        await crds.change(name, lambda obj: obj["metadata"].update(labels={"seen": "yes"}))

    assert established(crds) == 1


async def test_services_made_at_once_share_nothing(world: World) -> None:
    services = Verbs(world, "v1/services", "default")

    made = await asyncio.gather(
        *(services.create(f"s-{n}", spec={"type": "NodePort", "ports": PORTS}) for n in range(20))
    )

    assert len({service["spec"]["clusterIP"] for service in made}) == 20
    assert len({service["spec"]["ports"][0]["nodePort"] for service in made}) == 20


async def test_an_address_is_free_again_when_its_service_is_not_stored_or_gone(world: World) -> None:
    services = Verbs(world, "v1/services", "default")
    wanted: dict[str, Any] = {"clusterIP": "10.96.0.10", "ports": PORTS}

    await services.create("tried", dry_run=True, spec=wanted)
    with pytest.raises(ApiFailure, match="Too long"):
        await services.create("large", spec=wanted, metadata={"annotations": {"x": "y" * 300_000}})
    await services.create("first", spec=wanted)
    await services.delete("first")
    await services.create("second", spec=wanted)

    with pytest.raises(ApiFailure, match="provided IP is already allocated"):
        await services.create("third", spec=wanted)


async def test_addresses_are_known_after_a_restart(tmp_path: Path) -> None:
    spec = {"clusterIP": "10.96.0.10", "ports": PORTS}
    before = await started_world(tmp_path)
    await Verbs(before, "v1/services", "default").create("first", spec=spec)
    await before.store.close()
    after = await started_world(tmp_path)

    with pytest.raises(ApiFailure, match="provided IP is already allocated"):
        await Verbs(after, "v1/services", "default").create("second", spec=spec)
    await after.store.close()


async def test_a_service_that_changes_keeps_its_address_and_gives_back_its_port(world: World) -> None:
    services = Verbs(world, "v1/services", "default")
    was = await services.create("a", spec={"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}]})

    await services.change("a", lambda obj: obj["spec"].update(type="ClusterIP"))
    await services.create("b", spec={"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}]})

    assert services.get("a")["spec"]["clusterIP"] == was["spec"]["clusterIP"]


class Stubborn(random.Random):
    """Draws the same letters until it is asked for the third time."""

    def __init__(self) -> None:
        super().__init__()
        self._drawn = 0

    def choices(self, population: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        self._drawn += 1
        return [population[0 if self._drawn < 3 else 1]] * 5


async def test_what_follows_from_a_generated_name_follows_from_the_last_one(world: World) -> None:
    world.chance = Stubborn()
    jobs = Verbs(world, "batch/v1/jobs", "default")
    pod = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}

    first, second = [await jobs.create(metadata={"generateName": "j-"}, spec={"template": pod}) for _ in range(2)]

    assert (first["metadata"]["name"], second["metadata"]["name"]) == ("j-bbbbb", "j-ccccc")
    assert second["spec"]["template"]["metadata"]["labels"]["batch.kubernetes.io/job-name"] == "j-ccccc"


async def test_new_pods_get_the_default_priority_of_the_moment(world: World) -> None:
    classes, pods = Verbs(world, "scheduling.k8s.io/v1/priorityclasses"), Verbs(world, "v1/pods", "default")
    spec = {"containers": [{"name": "c", "image": "i"}]}
    found = []
    await classes.create("usual", value=7, globalDefault=True)
    found.append((await pods.create("a", spec=spec))["spec"]["priority"])
    await classes.delete("usual")
    found.append((await pods.create("b", spec=spec))["spec"]["priority"])

    assert found == [7, 0]
