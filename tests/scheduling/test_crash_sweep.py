"""A scheduler is killed at every call it makes, before the server has heard it and after; the next one brings all to the same end.

F01 and F28 for the scheduler, in one event loop with the embedded server and a clock that the test moves: the calls of a clean run
are counted, and for each of them there are two runs in which it is the last.
"""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from corral.control.object_cache import CacheSettings
from corral.control.runtime import runtime_of
from corral.control.scheduling.measures import Measures
from corral.control.scheduling.orders import Orders
from corral.control.scheduling.scheduler import Scheduler
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.ledger import Ledger, ledger_of
from corral.kinds.scheduling.names import GANG, GANG_SIZE
from corral.kinds.well_known import CONFIG_MAP, NAMESPACE, NODE, POD
from corral.placement.certificates.certificate import Certificate
from corral.placement.certificates.verifier import faults_in_log
from corral.testing.manual_clock import FixedRandomness, ManualClock
from tests.training.sweeps.crashes import Crash, Moment
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.troubled_store import Trouble, TroubledStore

pytestmark = pytest.mark.anyio

GPU = "nvidia.com/gpu"
GANGS = ("one", "two")
SIZE = 4
STEP = 0.25
ROUNDS = 200


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Scene:
    """Three nodes of two GPUs, two gangs of four of which one fits, and one pod that is alone."""

    def __init__(self, api: InProcessApi) -> None:
        self.api = api
        self.clock = ManualClock()
        self.client = api.client("test")
        self.certificates: list[Certificate] = []

    async def set_up(self) -> None:
        await self.client.create(NAMESPACE, {"metadata": {"name": "ns"}})
        for name in ("a", "b", "c"):
            amounts = {"cpu": "8", "memory": "8Gi", "pods": "110", GPU: "2"}
            ready = [{"type": "Ready", "status": "True"}]
            await self.client.create(
                NODE, {"metadata": {"name": name}, "status": {"allocatable": amounts, "conditions": ready}}
            )
        for gang in GANGS:
            for index in range(SIZE):
                marks = {"labels": {GANG: gang}, "annotations": {GANG_SIZE: str(SIZE)}}
                await self.client.create(POD, pod(f"{gang}-{index}", **marks))
        await self.client.create(POD, pod("single"))

    async def reign(self, trouble: Trouble) -> None:
        """Lets a scheduler work until it has died, or until nobody has anything left to say."""
        store = TroubledStore(self.api.client("corral-scheduler"), self.clock, trouble)
        runtime = runtime_of(
            store,
            clock=self.clock,
            randomness=Holder(len(trouble.calls)),
            component="corral-scheduler",
            settings=CacheSettings(watch_seconds=3600, quiet_limit=3600.0),
        )
        orders = Orders(on_certificate=self.certificates.append)
        scheduler = Scheduler(runtime, orders, Measures(), lambda: None)
        task = asyncio.create_task(scheduler.run())
        try:
            quiet = 0
            for _ in range(ROUNDS):
                await self.api.calm()
                await self.check()
                quiet = quiet + 1 if await self.is_settled() else 0
                if trouble.is_fatal or quiet >= 4 or task.done():
                    break
                await self.clock.advance(STEP)
        finally:
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    async def pods(self) -> list[Object]:
        return await self.client.list(POD)

    async def check(self) -> None:
        given = Counter(one["spec"]["nodeName"] for one in await self.pods() if one["spec"].get("nodeName"))
        assert all(count <= 2 for count in given.values()), given

    async def ledger(self) -> Ledger:
        return ledger_of(await self.client.get(CONFIG_MAP, ObjectKey("kube-system", "corral-scheduler-ledger")))

    async def is_settled(self) -> bool:
        """Whether a scheduler has nothing left to do here: one gang whole, the single pod bound, the others told why not."""
        pods = await self.pods()
        waiting = [one for one in pods if not one["spec"].get("nodeName")]
        told = all(
            any(c.get("reason") == "Unschedulable" for c in one["status"].get("conditions", [])) for one in waiting
        )
        return len(waiting) == SIZE and told and not (await self.ledger()).decisions


class Holder(FixedRandomness):
    """Gives each reign a name of its own."""

    _reigns = 0

    def __init__(self, seed: int) -> None:
        super().__init__()
        Holder._reigns += 1
        self._name = f"reign-{Holder._reigns}-{seed}"

    def token(self) -> str:
        return self._name


def pod(name: str, **metadata: object) -> Object:
    limits = {"limits": {GPU: "1"}}
    spec = {"schedulerName": "corral", "containers": [{"name": "main", "image": "any", "resources": limits}]}
    return {"metadata": {"name": name, "namespace": "ns", **metadata}, "spec": spec}


async def clean_run(folder: Path) -> int:
    """Returns how many calls a scheduler makes that nothing happens to."""
    api = await InProcessApi.started(folder)
    scene = Scene(api)
    try:
        await scene.set_up()
        trouble = Trouble()
        await scene.reign(trouble)
        await refuse_wrong_end(scene)
        return len(trouble.calls)
    finally:
        await api.close()


async def refuse_wrong_end(scene: Scene) -> None:
    bound = {one["metadata"]["name"] for one in await scene.pods() if one["spec"].get("nodeName")}
    assert sorted(sum(name.startswith(gang) for name in bound) for gang in GANGS) == [0, SIZE]
    assert "single" in bound
    assert not (await scene.ledger()).decisions
    assert list(faults_in_log(scene.certificates)) == []


async def test_a_clean_run_ends_well_with_few_calls(tmp_path: Path) -> None:
    assert await clean_run(tmp_path) < 60


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_wherever_a_scheduler_dies_the_next_one_brings_it_to_the_same_end(moment: Moment, tmp_path: Path) -> None:
    calls = await clean_run(tmp_path / "clean")
    for number in range(1, calls + 1):
        api = await InProcessApi.started(tmp_path / f"{moment}-{number}")
        scene = Scene(api)
        try:
            await scene.set_up()
            await scene.reign(Crash(number, moment))
            await scene.reign(Trouble())
            await refuse_wrong_end(scene)
        finally:
            await api.close()
