"""A cluster in one event loop for those who give way: the embedded server, the operator, a scheduler that may die, and hands that
play kubelet: pods that are bound run, pods that are deleted go. Time is moved by the test."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from corral.control.object_cache import CacheSettings
from corral.control.runtime import runtime_of
from corral.control.scheduling.measures import Measures
from corral.control.scheduling.orders import Orders
from corral.control.scheduling.scheduler import Scheduler
from corral.control.training import orders as training
from corral.control.training.operator import Means, TrainingOperator, component_of
from corral.control.training.telemetry import Telemetry
from corral.kinds.objects import Object, is_deleting
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.scheduling.ledger import Ledger, ledger_of
from corral.kinds.well_known import CONFIG_MAP, EVENT, NAMESPACE, NODE, POD, PRIORITY_CLASS
from corral.placement.admission.cycle import Terms
from corral.ports.object_store import AT_ONCE, Patch, Scope
from corral.ports.refusals import AlreadyExistsError, ConflictError, NotFoundError
from corral.reconcile.training.gangs import gangs_for
from corral.reconcile.training.world import Settings
from corral.testing.manual_clock import FixedRandomness, ManualClock
from tests.training.manifests import FACTS
from tests.training.stage import job_resource
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.troubled_store import Trouble, TroubledStore

GPU = "nvidia.com/gpu"
STEP = 0.5
GRACE = 1.0
"""Seconds that a pod takes to end."""
ROUNDS = 400
TERMS = Terms()
_SETTINGS = CacheSettings(watch_seconds=3600, quiet_limit=3600.0)


class Holder(FixedRandomness):
    """Gives each reign a name of its own."""

    reigns = 0

    def __init__(self) -> None:
        super().__init__()
        Holder.reigns += 1
        self._name = f"reign-{Holder.reigns}"

    def token(self) -> str:
        return self._name


class Theatre:
    """Nodes, jobs, and whoever works on them."""

    def __init__(self, api: InProcessApi) -> None:
        self.api = api
        # The server stamps by the clock of this machine: a gang that seemed to have waited for months would be left alone.
        self.clock = ManualClock(float(int(time.time())))
        self.client = api.client("test")
        self.scheduler: Scheduler | None = None
        self._tasks: list[asyncio.Task[Any]] = []
        self._reign: asyncio.Task[None] | None = None
        self._sizes: dict[str, int] = {}
        self._going: dict[str, float] = {}

    @classmethod
    async def open(cls, folder: Path, **nodes: int) -> "Theatre":
        """Returns a theatre with an operator, and nodes with so many GPUs."""
        made = cls(await InProcessApi.started(folder))
        await made.client.create(NAMESPACE, {"metadata": {"name": "ns"}})
        for name, gpus in nodes.items():
            await made.node(name, gpus)
        made._start_operator()
        return made

    async def close(self) -> None:
        """Ends everything."""
        await self.die()
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        await self.api.close()

    # --- who works ---

    def _start_operator(self) -> None:
        runtime = runtime_of(
            self.api.client("corral-operator"),
            clock=self.clock,
            randomness=FixedRandomness(),
            component=component_of,
            settings=_SETTINGS,
        )
        settings = Settings(gangs=gangs_for("corral-scheduler"))
        orders = training.Orders(kinds=tuple(FACTS[kind] for kind in ("PyTorchJob", "MPIJob")), settings=settings)
        operator = TrainingOperator(runtime, orders, Telemetry(self.clock), Means())
        parts = (runtime.caches.run(), runtime.events.run(), operator.run())
        self._tasks += [asyncio.create_task(part) for part in parts]

    def reign(self, trouble: Trouble | None = None, terms: Terms = TERMS) -> Scheduler:
        """Starts a scheduler that has troubles, and decides under these terms."""
        store = TroubledStore(self.api.client("corral-scheduler"), self.clock, trouble or Trouble())
        runtime = runtime_of(
            store, clock=self.clock, randomness=Holder(), component="corral-scheduler", settings=_SETTINGS
        )
        self.scheduler = Scheduler(runtime, Orders(terms=terms), Measures(), lambda: None)
        self._reign = asyncio.create_task(self.scheduler.run())
        return self.scheduler

    async def die(self) -> None:
        """Ends the scheduler wherever it is; what it has sent is still done by the server."""
        if self._reign is not None:
            self._reign.cancel()
            with suppress(asyncio.CancelledError):
                await self._reign
        self._reign = self.scheduler = None

    # --- what there is ---

    async def node(self, name: str, gpus: int) -> None:
        """Registers a node."""
        amounts = {"cpu": "64", "memory": "64Gi", "pods": "110", GPU: str(gpus)}
        ready = [{"type": "Ready", "status": "True"}]
        self._sizes[name] = gpus
        await self.client.create(
            NODE, {"metadata": {"name": name}, "status": {"allocatable": amounts, "conditions": ready}}
        )

    async def job(self, name: str, workers: int, *, gpus: int = 1, priority: int = 0, **spec: Any) -> Object:
        """Submits a PyTorchJob of workers only."""
        annotations, policy = spec.pop("annotations", {}), spec.pop("policy", "OnFailure")
        limits = {"limits": {GPU: str(gpus)}}
        container = {"name": "pytorch", "image": "any", "resources": limits}
        pod: Object = {"containers": [container], **({"priorityClassName": f"p{priority}"} if priority else {})}
        if priority:
            with suppress(AlreadyExistsError):
                await self.client.create(PRIORITY_CLASS, {"metadata": {"name": f"p{priority}"}, "value": priority})
        worker = {"replicas": workers, "restartPolicy": policy, "template": {"spec": pod}}
        body = {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": name, "namespace": "ns", "annotations": annotations},
            "spec": {"pytorchReplicaSpecs": {"Worker": worker}, **spec},
        }
        return await self.client.create(job_resource("PyTorchJob"), body)

    async def pod(self, name: str) -> None:
        """Creates a pod that nobody makes anew."""
        container = {"name": "main", "image": "any", "resources": {"limits": {GPU: "1"}}}
        spec = {"schedulerName": "corral", "containers": [container]}
        await self.client.create(POD, {"metadata": {"name": name, "namespace": "ns"}, "spec": spec})

    async def get(self, name: str, resource: ApiResource | None = None) -> Object:
        """Returns a job."""
        return await self.client.get(resource or job_resource("PyTorchJob"), ObjectKey("ns", name))

    async def change(self, name: str, body: Object) -> None:
        """Changes a job, as a user does."""
        await self.client.patch(job_resource("PyTorchJob"), ObjectKey("ns", name), Patch("merge", body))

    async def end(self, name: str) -> None:
        """Lets a job succeed, as its pods do."""
        done = {"status": {"phase": "Succeeded"}}
        for one in await self.pods(name):
            key = ObjectKey("ns", one["metadata"]["name"])
            await self.client.patch(POD, key, Patch("strategic", done), subresource="status")

    async def fail(self, pod: str) -> None:
        """Lets a pod fail."""
        failed = {"status": {"phase": "Failed"}}
        await self.client.patch(POD, ObjectKey("ns", pod), Patch("strategic", failed), subresource="status")

    async def pods(self, job: str = "") -> list[Object]:
        """Returns the pods of a job."""
        found = await self.client.list(POD, Scope("ns"))
        return [one for one in found if f"{one['metadata']['name']}-".startswith(f"{job}-" if job else "")]

    async def lives(self, job: str) -> set[str]:
        """Returns the uids of the pods of a job."""
        return {one["metadata"]["uid"] for one in await self.pods(job)}

    async def placed(self, job: str) -> dict[str, str]:
        """Returns where the pods of a job are."""
        pods = await self.pods(job)
        return {one["metadata"]["name"]: one["spec"]["nodeName"] for one in pods if one["spec"].get("nodeName")}

    async def running(self, job: str) -> int:
        """Returns how many pods of a job run and stay."""
        return sum(one["status"]["phase"] == "Running" and not is_deleting(one) for one in await self.pods(job))

    async def events(self, reason: str) -> list[str]:
        """Returns what was told for a reason, and about whom."""
        found = [one for one in await self.client.list(EVENT, Scope("ns")) if one["reason"] == reason]
        return sorted(f"{one['involvedObject']['name']}: {one['message']}" for one in found)

    async def ledger(self) -> Ledger:
        """Returns the ledger."""
        try:
            return ledger_of(await self.client.get(CONFIG_MAP, ObjectKey("kube-system", "corral-scheduler-ledger")))
        except NotFoundError:
            return Ledger()

    # --- time ---

    async def until(self, is_so: Callable[[], Awaitable[object]], rounds: int = ROUNDS) -> None:
        """Lets time pass until something is so."""
        for _ in range(rounds):
            await self.turn()
            if await is_so():
                return
            await self.clock.advance(STEP)
        story = [
            f"{one['metadata']['name']}: {one['spec'].get('nodeName')} {one['status']['phase']} {is_deleting(one)}"
            for one in await self.pods()
        ]
        raise AssertionError(f"never so: {story}, {await self.ledger()}")

    async def pass_time(self, seconds: float) -> None:
        """Lets so many seconds pass."""
        end = self.clock.now() + seconds
        while self.clock.now() < end:
            await self.turn()
            await self.clock.advance(STEP)
        await self.turn()

    async def turn(self) -> None:
        """Lets everybody say what there is to say now, and the hands do their work."""
        while True:
            await self.api.calm()
            await self.refuse_double()
            if self._reign is not None and self._reign.done():
                self._reign.result()
            if not await self._hands():
                return

    async def refuse_double(self) -> None:
        """Fails when GPUs of a node are given twice."""
        given: Counter[str] = Counter()
        for one in await self.pods():
            node, limits = one["spec"].get("nodeName"), one["spec"]["containers"][0]["resources"].get("limits", {})
            if node and one["status"]["phase"] not in ("Succeeded", "Failed"):
                given[node] += int(limits.get(GPU, 0))
        assert all(count <= self._sizes[node] for node, count in given.items()), given

    async def _hands(self) -> bool:
        """Lets pods that are bound run, and pods that are deleted go."""
        acted = False
        for one in await self.pods():
            key = ObjectKey("ns", one["metadata"]["name"])
            with suppress(NotFoundError, ConflictError):
                if is_deleting(one):
                    since = self._going.setdefault(one["metadata"]["uid"], self.clock.now())
                    if self.clock.now() - since < GRACE:
                        continue
                    if one["status"]["phase"] == "Running":  # a node says first how its programs have ended
                        ended = {"status": {"phase": "Failed"}}
                        await self.client.patch(POD, key, Patch("strategic", ended), subresource="status")
                        await self.api.calm()
                    await self.client.delete(POD, key, AT_ONCE)
                elif one["spec"].get("nodeName") and one["status"]["phase"] == "Pending":
                    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
                    await self.client.patch(POD, key, Patch("strategic", {"status": status}), subresource="status")
                else:
                    continue
                acted = True
        return acted
