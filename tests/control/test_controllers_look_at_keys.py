"""Controllers: changes become keys, keys become reconciles, failures concern one key only."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.control.backoff import Backoff
from corral.control.controller import Controller, Watch, controller_keys, own_key
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.control.runtime import Runtime, runtime_of
from corral.errors import RetryError
from corral.kinds.objects import Object, owner_reference
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CONFIG_MAP, SECRET
from corral.ports.object_store import Patch, Scope
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.waiting import eventually

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def runtime(api: ApiUnderTest) -> AsyncIterator[Runtime]:
    async with AsyncClient(api.access) as client:
        runtime = runtime_of(client, clock=SystemClock(), randomness=SystemRandomness())
        caches = asyncio.create_task(runtime.caches.run())
        yield runtime
        caches.cancel()
        await asyncio.wait([caches])


@asynccontextmanager
async def running(controller: Controller) -> AsyncIterator[Controller]:
    task = asyncio.create_task(controller.run())
    try:
        yield controller
    finally:
        task.cancel()
        await asyncio.wait([task])


class Looker:
    """Notes which keys were looked at; `poison` fails, others end well."""

    def __init__(self) -> None:
        self.looks: list[str] = []
        self.answers: dict[str, Sequence[Outcome | Exception]] = {}
        self.at_work = 0
        self.most_at_work = 0

    async def reconcile(self, key: ObjectKey) -> Outcome:
        self.looks.append(key.name)
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        await asyncio.sleep(0)
        self.at_work -= 1
        answers = self.answers.get(key.name, ())
        answer = answers[min(self.looks.count(key.name), len(answers)) - 1] if answers else DONE
        if isinstance(answer, Exception):
            raise answer
        return answer


def config_map(api: ApiUnderTest, name: str, **metadata: object) -> Object:
    return {"metadata": {"name": name, "namespace": api.namespace, "labels": {"part": "test"}, **metadata}}


def scope(api: ApiUnderTest) -> Scope:
    return Scope(api.namespace, "part=test")


def controller_of(api: ApiUnderTest, runtime: Runtime, looker: Looker, *more: Watch) -> Controller:
    watches = [Watch(CONFIG_MAP, own_key, scope(api)), *more]
    return Controller("test", looker.reconcile, watches, runtime, backoff=Backoff(0.02, 0.05))


async def test_every_object_is_looked_at_and_again_when_it_changes(api: ApiUnderTest, runtime: Runtime) -> None:
    looker = Looker()
    await runtime.store.create(CONFIG_MAP, config_map(api, "a"))
    async with running(controller_of(api, runtime, looker)):
        await eventually(lambda: looker.looks == ["a"])
        await runtime.store.patch(CONFIG_MAP, api.key("a"), Patch("merge", {"data": {"x": "1"}}))
        await eventually(lambda: looker.looks == ["a", "a"])
        await runtime.store.delete(CONFIG_MAP, api.key("a"))
        await eventually(lambda: looker.looks == ["a", "a", "a"])


async def test_a_child_points_to_its_owner_before_and_after(api: ApiUnderTest, runtime: Runtime) -> None:
    looker = Looker()
    owner = await runtime.store.create(CONFIG_MAP, config_map(api, "owner"))
    reference = owner_reference(CONFIG_MAP, owner)
    child = config_map(api, "child", ownerReferences=[reference])
    watch = Watch(SECRET, controller_keys("ConfigMap"), scope(api))
    async with running(controller_of(api, runtime, looker, watch)):
        await eventually(lambda: looker.looks == ["owner"])
        await runtime.store.create(SECRET, child)
        await eventually(lambda: looker.looks == ["owner"] * 2)
        orphaned = Patch("merge", {"metadata": {"ownerReferences": None}})
        await runtime.store.patch(SECRET, api.key("child"), orphaned)
        await eventually(lambda: looker.looks == ["owner"] * 3)


def test_mappings_to_owners() -> None:
    child = {
        "metadata": {
            "namespace": "n",
            "ownerReferences": [
                {"kind": "Job", "apiVersion": "batch/v1", "name": "a", "controller": True},
                {"kind": "Job", "apiVersion": "other.io/v1", "name": "b"},
            ],
        }
    }
    assert list(controller_keys("Job")(child)) == [ObjectKey("n", "a")]
    assert list(controller_keys("Job", "other.io")(child)) == []


async def test_f18_a_poison_object_hurts_only_itself(api: ApiUnderTest, runtime: Runtime) -> None:
    """Invariant C7."""
    looker = Looker()
    looker.answers["poison"] = [ValueError("cannot understand this")]

    def keys(obj: Object) -> list[ObjectKey]:
        if obj["metadata"]["name"] == "venom":
            raise KeyError("spec")
        return [ObjectKey(api.namespace, obj["metadata"]["name"])]

    for name in ("poison", "venom", "a", "b"):
        await runtime.store.create(CONFIG_MAP, config_map(api, name))
    controller = Controller(
        "test", looker.reconcile, [Watch(CONFIG_MAP, keys, scope(api))], runtime, backoff=Backoff(0.02, 0.05)
    )
    async with running(controller):
        await eventually(lambda: looker.looks.count("poison") >= 4)
        assert sorted(set(looker.looks)) == ["a", "b", "poison"]
        assert looker.looks.count("a") == looker.looks.count("b") == 1
        assert controller.counts.poisoned == 1
        assert controller.last_failure == {api.key("poison"): "ValueError: cannot understand this"}
        looker.answers.clear()
        await eventually(lambda: not controller.last_failure)


async def test_a_wish_to_look_again_is_fulfilled_and_a_wait_is_honoured(api: ApiUnderTest, runtime: Runtime) -> None:
    looker = Looker()
    looker.answers["a"] = [RetryAfter(0.05), RetryError("x", "busy", retry_after=0.3), DONE]
    controller = controller_of(api, runtime, looker)
    async with running(controller):
        started = asyncio.get_running_loop().time()
        controller.enqueue(api.key("a"))
        await eventually(lambda: len(looker.looks) == 3)
        assert asyncio.get_running_loop().time() - started >= 0.35
        await eventually(lambda: controller.queue.is_idle)


async def test_a_reconcile_without_end_is_ended(api: ApiUnderTest, runtime: Runtime) -> None:
    looks: list[ObjectKey] = []

    async def reconcile(key: ObjectKey) -> Outcome:
        looks.append(key)
        if len(looks) == 1:
            await asyncio.Event().wait()
        return DONE

    controller = Controller("test", reconcile, [], runtime, workers=1, backoff=Backoff(0.01, 0.01), time_limit=0.1)
    async with running(controller):
        controller.enqueue(api.key("a"))
        await eventually(lambda: len(looks) == 2)
        assert controller.counts.failures == 1


async def test_a_burst_is_merged_and_keys_are_never_worked_on_twice_at_a_time(
    api: ApiUnderTest, runtime: Runtime
) -> None:
    looker = Looker()
    controller = controller_of(api, runtime, looker)
    async with running(controller):
        await eventually(lambda: controller.queue.is_idle)
        for _ in range(100):
            controller.enqueue(api.key("a"))
        await eventually(lambda: controller.queue.is_idle)
    assert looker.looks == ["a"]
    assert looker.most_at_work == 1


async def test_kinds_can_be_followed_later_and_dropped(api: ApiUnderTest, runtime: Runtime) -> None:
    looker = Looker()
    await runtime.store.create(SECRET, config_map(api, "later"))
    controller = controller_of(api, runtime, looker)
    async with running(controller):
        await eventually(lambda: controller.queue.is_idle)
        controller.watch(Watch(SECRET, own_key, scope(api)))
        await eventually(lambda: looker.looks == ["later"])
        await runtime.caches.drop(SECRET)
        assert list(runtime.caches.find(SECRET)) == []
        assert [verdict.part for verdict in runtime.caches.verdicts()] == ["cache of configmaps"]
