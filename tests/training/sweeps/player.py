"""Plays user and kubelet of one scenario: each step follows from what is there, never from what was done before."""

import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.kinds.objects import Object, is_deleting, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import EVENT, NODE, POD, SERVICE
from corral.ports.object_store import AT_ONCE, Patch, Scope
from corral.ports.refusals import AlreadyExistsError, ConflictError, NotFoundError
from tests.training.kubelet_words import Ending, status_of
from tests.training.manifests import FACTS
from tests.training.stage import job_resource
from tests.training.sweeps.scenarios import Scenario

_NODE = "node-a"
_BEAT = 5.0
"""Seconds between two heartbeats of the node: a real cluster takes one that is silent for 50 for lost."""


class Player:
    """Moves one scenario in one namespace forward."""

    def __init__(self, client: AsyncClient, namespace: str, scenario: Scenario) -> None:
        self._client = client
        self._namespace = namespace
        self._scenario = scenario
        self._facts = FACTS[scenario.kind]
        self._resource = job_resource(scenario.kind)
        self._name = str(scenario.job["metadata"]["name"])
        self._made: dict[str, list[str]] = {}
        self._acts = list(scenario.acts)
        self._last_beat = 0.0

    async def begin(self) -> None:
        """Submits the job."""
        with suppress(AlreadyExistsError):
            await self._client.create(NODE, {"metadata": {"name": _NODE}})
        await self._beat()
        job = self._scenario.job
        await self._client.create(
            self._resource, {**job, "metadata": {**job["metadata"], "namespace": self._namespace}}
        )

    async def act(self) -> bool:
        """Does what is due now; tells whether there was anything."""
        if time.monotonic() - self._last_beat > _BEAT:
            await self._beat()
        job = await self.job()
        pods = await self.pods()
        if await self._kubelet(pods):
            return True
        if job is None or self._is_ended(job):
            return False
        if self._acts:
            return self._is_due(job, pods, await self.services()) and await self._user(job)
        return self._is_running(job, pods) and await self._end_next(pods)

    async def is_over(self) -> bool:
        """Whether the scenario has come to its end, with all that is to be cleared away gone."""
        job = await self.job()
        if (job is None) != (self._scenario.ends == "gone") or (job and not self._is_ended(job)):
            return False
        wanted = sorted(self._scenario.left)
        return all(sorted(map(self._short, some)) == wanted for some in (await self.pods(), await self.services()))

    async def job(self) -> Object | None:
        """Returns the job as it is now."""
        try:
            return await self._client.get(self._resource, ObjectKey(self._namespace, self._name))
        except NotFoundError:
            return None

    async def pods(self) -> list[Object]:
        """Returns the pods, by name."""
        return await self._client.list(POD, Scope(self._namespace))

    async def services(self) -> list[Object]:
        """Returns the services, by name."""
        return await self._client.list(SERVICE, Scope(self._namespace))

    async def clear(self) -> None:
        """Removes everything."""
        scope = Scope(self._namespace)
        await self._client.delete_collection(EVENT, scope)
        for resource in (self._resource, POD, SERVICE):
            for one in await self._client.list(resource, scope):
                with suppress(NotFoundError):
                    await self._client.delete(resource, ObjectKey(self._namespace, one["metadata"]["name"]), AT_ONCE)

    # --- what is due ---

    def _is_ended(self, job: Object) -> bool:
        return bool({"Succeeded", "Failed"} & _holding(job))

    def _is_due(self, job: Object, pods: list[Object], services: list[Object]) -> bool:
        if self._acts[0].when == "suspended":
            return "Suspended" in _holding(job) and not pods and not services
        return self._is_running(job, pods)

    def _is_running(self, job: Object, pods: list[Object]) -> bool:
        """Whether everything that the job asks for runs or has ended well, and the status tells exactly that."""
        wanted = {
            f"{role.lower()}-{index}"
            for role, spec in job["spec"][self._facts.map_field].items()
            for index in range(spec.get("replicas", 1))
        }
        phases = {self._short(pod): pod["status"]["phase"] for pod in pods}
        if phases.keys() != wanted or set(phases.values()) - {"Running", "Succeeded"}:
            return False
        if "Running" not in _holding(job) or "Suspended" in _holding(job):
            return False
        told = (job.get("status") or {}).get("replicaStatuses") or {}
        return all(_counts(told.get(role) or {}) == _seen(phases, role) for role in job["spec"][self._facts.map_field])

    # --- doing it ---

    async def _kubelet(self, pods: list[Object]) -> bool:
        """Lets pods that are deleted go, and new ones run."""
        acted = False
        for pod in pods:
            self._note(pod)
            if is_deleting(pod):
                with suppress(NotFoundError):
                    await self._client.delete(POD, ObjectKey(self._namespace, pod["metadata"]["name"]), AT_ONCE)
                acted = True
            elif pod["status"]["phase"] == "Pending":
                with suppress(NotFoundError, ConflictError):  # deleted since it was listed
                    await self._bind(pod)
                    await self._say(pod, "Running", Ending())
                acted = True
        return acted

    async def _beat(self) -> None:
        self._last_beat = time.monotonic()
        ready = {
            "type": "Ready",
            "status": "True",
            "lastHeartbeatTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "lastTransitionTime": "2020-01-01T00:00:00Z",
        }
        alive = Patch("merge", {"status": {"conditions": [ready]}})
        await self._client.patch(NODE, ObjectKey("", _NODE), alive, subresource="status")

    async def _bind(self, pod: Object) -> None:
        if pod["spec"].get("nodeName"):
            return
        target = {"apiVersion": "v1", "kind": "Node", "name": _NODE}
        name = pod["metadata"]["name"]
        binding = {"metadata": {"name": name, "namespace": self._namespace}, "target": target}
        await self._client.create(POD, {"apiVersion": "v1", "kind": "Binding", **binding}, subresource="binding")

    async def _user(self, job: Object) -> bool:
        act = self._acts.pop(0)
        key = ObjectKey(self._namespace, self._name)
        await self._client.patch(self._resource, key, Patch("merge", {"spec": act.spec}))
        return True

    async def _end_next(self, pods: list[Object]) -> bool:
        """Ends the first pod that runs and whose turn it is; the order is that of the scenario."""
        running = {self._short(pod): pod for pod in pods if pod["status"]["phase"] == "Running"}
        for place, codes in self._scenario.endings:
            if place not in running:
                continue
            pod = running[place]
            code = codes[min(len(self._made[place]), len(codes)) - 1]
            await self._say(pod, "Failed" if code else "Succeeded", Ending(code))
            return True
        return False

    async def _say(self, pod: Object, phase: str, ending: Ending) -> None:
        said = status_of(pod, phase, self._facts.container, ending)
        key = ObjectKey(self._namespace, pod["metadata"]["name"])
        await self._client.patch(POD, key, Patch("merge", {"status": said}), subresource="status")

    def _note(self, pod: Object) -> None:
        made = self._made.setdefault(self._short(pod), [])
        if uid_of(pod) not in made:
            made.append(uid_of(pod))

    def _short(self, child: Object) -> str:
        return str(child["metadata"]["name"]).removeprefix(f"{self._name}-")


def _holding(job: Object) -> set[str]:
    conditions = (job.get("status") or {}).get("conditions") or []
    return {one["type"] for one in conditions if one["status"] == "True"}


def _counts(told: dict[str, Any]) -> tuple[int, int]:
    return told.get("active", 0), told.get("succeeded", 0)


def _seen(phases: dict[str, str], role: str) -> tuple[int, int]:
    of_role = [phase for place, phase in phases.items() if place.rpartition("-")[0] == role.lower()]
    return of_role.count("Running"), of_role.count("Succeeded")
