"""What happened in a run, as the server tells it: the lives of pods, the words of the job's status, and what was left."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from itertools import pairwise
from typing import Any, NamedTuple

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.kinds.objects import Object, is_deleting, uid_of
from corral.kinds.references import ApiResource
from corral.kinds.training.facts import GROUP
from corral.kinds.well_known import POD
from corral.ports.object_store import Scope, Start

_TERMINAL = ("Succeeded", "Failed")


class _Change(NamedTuple):
    revision: int
    kind: str
    verb: str
    object: Object


class Record:
    """Follows the job and the pods of one namespace from the beginning; read it when the run is over."""

    def __init__(self, client: AsyncClient, namespace: str, job: ApiResource) -> None:
        self._client = client
        self._scope = Scope(namespace)
        self._job = job
        self._changes: list[_Change] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        """Begins to listen; the namespace must be empty."""
        for resource in (POD, self._job):
            revision = ""
            async with aclosing(self._client.pages(resource, self._scope, dict[str, Any])) as pages:
                async for page in pages:
                    revision = page.revision
            self._tasks.append(asyncio.create_task(self._follow(resource, revision)))

    async def end(self) -> None:
        """Stops listening."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    async def _follow(self, resource: ApiResource, revision: str) -> None:
        stream = self._client.watch(resource, self._scope, Start(revision, timeout_seconds=3600), dict[str, Any])
        async with aclosing(stream):
            async for changes in stream:
                for change in changes:
                    if change.object is not None:
                        version = int(change.object["metadata"]["resourceVersion"])
                        self._changes.append(_Change(version, resource.kind, change.verb, change.object))

    # --- reading ---

    def in_order(self) -> list[_Change]:
        """Returns everything in the order in which it happened."""
        return sorted(self._changes, key=lambda one: one.revision)

    def statuses(self) -> list[Object]:
        """Returns each status that the job had, in order."""
        return [one.object.get("status") or {} for one in self.in_order() if one.kind == self._job.kind]

    def made(self) -> list[str]:
        """Returns the pods that were made, as `worker-0#2` for the second of its place."""
        return sorted(self._numbers().values())

    def deleted(self) -> list[str]:
        """Returns the pods that were deleted."""
        numbers = self._numbers()
        gone = {uid_of(one.object) for one in self._of_pods() if one.verb == "DELETED" or is_deleting(one.object)}
        return sorted(numbers[uid] for uid in gone)

    def _of_pods(self) -> Iterator[_Change]:
        return (one for one in self.in_order() if one.kind == POD.kind)

    def _numbers(self) -> dict[str, str]:
        """Returns for each uid which pod of its place it was."""
        counts: dict[str, int] = {}
        numbers: dict[str, str] = {}
        for one in self._of_pods():
            labels = one.object["metadata"]["labels"]
            place = "-".join(labels[f"training.{GROUP}/replica-{part}"] for part in ("type", "index"))
            if uid_of(one.object) not in numbers:
                counts[place] = counts.get(place, 0) + 1
                numbers[uid_of(one.object)] = f"{place}#{counts[place]}"
        return numbers

    def complaints(self) -> list[str]:
        """Returns what must never happen and did, by the invariants T2 to T5."""
        return [*self._doubled(), *_unended(self.statuses()), *_uncounted(self.statuses()), *self._untold()]

    def _doubled(self) -> Iterator[str]:
        """T2: two pods of one place at the same time."""
        alive: dict[str, str] = {}
        numbers = self._numbers()
        for one in self._of_pods():
            uid = uid_of(one.object)
            place = numbers[uid].partition("#")[0]
            if one.verb == "DELETED":
                alive.pop(place, None)
            elif alive.setdefault(place, uid) != uid:
                yield f"two pods of {place}"

    def _untold(self) -> Iterator[str]:
        """T5: a failed pod was deleted before the status told of its failure."""
        told: set[str] = set()
        reported: set[str] = set()
        for one in self.in_order():
            if one.kind != POD.kind:
                told |= {failure["podUid"] for failure in (one.object.get("status") or {}).get("failures") or []}
                continue
            uid, is_going = uid_of(one.object), one.verb == "DELETED" or is_deleting(one.object)
            has_failed = one.object["status"].get("phase") == "Failed"
            if has_failed and is_going and uid not in told and uid not in reported:
                reported.add(uid)
                yield f"{one.object['metadata']['name']} was deleted before its failure was told"


def _unended(statuses: list[Object]) -> Iterator[str]:
    """T3: an end that was taken back, or a second one."""
    ended: set[str] = set()
    for status in statuses:
        now = {
            one["type"]
            for one in status.get("conditions") or []
            if one["type"] in _TERMINAL and one["status"] == "True"
        }
        if len(now) > 1 or ended - now:
            yield f"the end changed from {sorted(ended)} to {sorted(now)}"
        ended |= now


def _uncounted(statuses: list[Object]) -> Iterator[str]:
    """T4: a count of restarts or attempts that went back."""
    for before, after in pairwise(statuses):
        for name in ("restarts", "attempt"):
            if after.get(name, 0) < before.get(name, 0):
                yield f"{name} went from {before.get(name, 0)} to {after.get(name, 0)}"
