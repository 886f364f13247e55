"""A server that refuses or never answers what concerns one pod or gang stops nothing else, and ends no reign."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from corral.control.object_cache import CacheSettings
from corral.control.runtime import runtime_of
from corral.control.scheduling.measures import Measures
from corral.control.scheduling.orders import Orders
from corral.control.scheduling.scheduler import Scheduler
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.scheduling.names import GANG, GANG_SIZE
from corral.kinds.well_known import CONFIG_MAP, EVENT, NAMESPACE, NODE, POD
from corral.ports.object_store import GENTLY, PLAIN, DeleteOptions, WriteOptions
from corral.ports.refusals import ForbiddenError, InvalidError, OverloadedError
from tests.scheduling.test_crash_sweep import GPU, Holder, Scene, pod
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.troubled_store import Trouble, TroubledStore

pytestmark = pytest.mark.anyio

OWNER = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "00000000-0000-4000-8000-000000000001"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class PoisonedBinds(TroubledStore):
    """A webhook that cannot be reached fails the binds of some pods, which the server answers with 500."""

    async def create(
        self, resource: ApiResource, obj: Object, options: WriteOptions = PLAIN, *, subresource: str = ""
    ) -> Object:
        if subresource == "binding" and obj["metadata"]["name"].startswith("poison"):
            raise OverloadedError("failed calling webhook: context deadline exceeded", http_status=500)
        return await super().create(resource, obj, options, subresource=subresource)


class NothingIsDeleted(TroubledStore):
    """Binds of one pod are refused, and pods may not be deleted."""

    async def create(
        self, resource: ApiResource, obj: Object, options: WriteOptions = PLAIN, *, subresource: str = ""
    ) -> Object:
        if subresource == "binding" and obj["metadata"]["name"] == "one-1":
            raise ForbiddenError("binding denied by a webhook")
        return await super().create(resource, obj, options, subresource=subresource)

    async def delete(self, resource: ApiResource, key: ObjectKey, options: DeleteOptions = GENTLY) -> Object | None:
        if resource == POD:
            raise ForbiddenError("pods is forbidden: may not delete")
        return await super().delete(resource, key, options)


class SmallLedger(TroubledStore):
    """The server takes ledgers up to a bound that is much lower than usual."""

    async def update(
        self, resource: ApiResource, obj: Object, *, subresource: str = "", options: WriteOptions = PLAIN
    ) -> Object:
        if resource == CONFIG_MAP and sum(map(len, obj["data"].values())) > 1500:
            raise InvalidError("ConfigMap is invalid: []: Too long: may not be more than 1500 bytes")
        return await super().update(resource, obj, subresource=subresource, options=options)


class Stage(Scene):
    """Three large nodes, and a scheduler that speaks through a store of choice."""

    async def set_up(self) -> None:
        await self.client.create(NAMESPACE, {"metadata": {"name": "ns"}})
        for name in ("a", "b", "c"):
            amounts = {"cpu": "800", "memory": "800Gi", "pods": "110", GPU: "60"}
            ready = [{"type": "Ready", "status": "True"}]
            told = {"metadata": {"name": name}, "status": {"allocatable": amounts, "conditions": ready}}
            await self.client.create(NODE, told)

    async def gang(self, name: str, size: int) -> None:
        marks = {"labels": {GANG: name}, "annotations": {GANG_SIZE: str(size)}}
        for index in range(size):
            await self.client.create(
                POD, pod(f"{name}-{index}", **marks, ownerReferences=[{**OWNER, "controller": True}])
            )

    async def bound(self) -> set[str]:
        return {one["metadata"]["name"] for one in await self.pods() if one["spec"].get("nodeName")}

    async def play(self, kind: type[TroubledStore], is_done: Callable[[set[str]], bool], rounds: int = 600) -> bool:
        """Lets a scheduler work until it has done something; returns whether it has."""
        runtime = runtime_of(
            kind(self.api.client("corral-scheduler"), self.clock, Trouble()),
            clock=self.clock,
            randomness=Holder(0),
            component="corral-scheduler",
            settings=CacheSettings(watch_seconds=3600, quiet_limit=3600.0),
        )
        task = asyncio.create_task(Scheduler(runtime, Orders(), Measures(), lambda: None).run())
        try:
            for _ in range(rounds):
                await self.api.calm()
                if task.done():
                    task.result()
                if is_done(await self.bound()):
                    return True
                await self.clock.advance(0.25)
            return False
        finally:
            task.cancel()
            await asyncio.wait([task])


async def test_binds_that_are_never_answered_hold_up_no_others(tmp_path: Path) -> None:
    api = await InProcessApi.started(tmp_path)
    try:
        stage = Stage(api)
        await stage.set_up()
        for index in range(20):
            await stage.client.create(POD, pod(f"poison-{index}"))
        assert not await stage.play(PoisonedBinds, bool, rounds=4)
        await stage.client.create(POD, pod("good"))
        assert await stage.play(PoisonedBinds, {"good"}.__le__, rounds=40)
    finally:
        await api.close()


async def test_a_bind_that_is_never_answered_is_given_up_and_its_gang_is_taken_back(tmp_path: Path) -> None:
    api = await InProcessApi.started(tmp_path)
    try:
        stage = Stage(api)
        await stage.set_up()
        await stage.gang("poison", 1)
        for name in ("a", "b", "c"):  # one GPU is left, which the pod without an answer holds
            for index in range(60 - (name == "a")):
                filler = pod(f"filler-{name}{index}")
                filler["spec"]["nodeName"] = name
                await stage.client.create(POD, filler)
        assert not await stage.play(PoisonedBinds, lambda bound: "poison-0" in bound, rounds=8)
        await stage.client.create(POD, pod("good"))
        assert await stage.play(PoisonedBinds, {"good"}.__le__)
    finally:
        await api.close()


async def test_a_scheduler_that_may_not_delete_pods_works_on(tmp_path: Path) -> None:
    api = await InProcessApi.started(tmp_path)
    try:
        stage = Stage(api)
        await stage.set_up()
        await stage.gang("one", 2)
        assert not await stage.play(NothingIsDeleted, lambda bound: {"one-0", "one-1"} <= bound, rounds=80)
        await stage.client.create(POD, pod("good"))
        assert await stage.play(NothingIsDeleted, {"good"}.__le__, rounds=80)
    finally:
        await api.close()


async def test_a_ledger_that_is_too_large_for_the_server_is_written_in_parts(tmp_path: Path) -> None:
    """Seven gangs fit, a few at a time; the eighth fits never, and the others do not wait for it."""
    api = await InProcessApi.started(tmp_path)
    try:
        stage = Stage(api)
        await stage.set_up()
        for name, size in (*((f"g{index}", 8) for index in range(6)), ("large", 30), ("last", 2)):
            await stage.gang(name, size)
        assert await stage.play(SmallLedger, lambda bound: len(bound) == 50)
        assert not any(name.startswith("large") for name in await stage.bound())
        told = [one for one in await stage.client.list(EVENT) if "more than one object" in one.get("message", "")]
        assert told
        assert all(one["involvedObject"]["name"].startswith("large") for one in told)
    finally:
        await api.close()
