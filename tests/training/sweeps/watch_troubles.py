"""Operators that see the world late, with gaps, twice, or in another order than it happened."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from corral.control.mirror import order_of
from corral.kinds.objects import identity_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.training.facts import GROUP
from corral.ports.clock import Clock
from corral.ports.object_store import Change, Page, Scope, Start
from tests.training.sweeps.crashes import Crash
from tests.training.sweeps.troubled_store import Batches, Trouble

_Name = tuple[ApiResource, Scope]


class Drop(Trouble):
    """Never tells one change of all; only a new list brings it to light."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self.changes = 0
        """How many changes there were to tell."""

    async def told(self, resource: ApiResource, scope: Scope, start: Start, batches: Batches) -> Batches:
        """Tells all changes but one."""
        async with aclosing(batches):
            async for batch in batches:
                yield [change for change in batch if not self._is_dropped(change)]

    def _is_dropped(self, change: Change[Any]) -> bool:
        if change.object is None:
            return False
        self.changes += 1
        return self.changes == self._number


class Shuffle(Trouble):
    """Tells changes late, each by another while, so that they overtake each other, and some twice."""

    _WAITS = (0.0, 0.0, 0.0, 0.04, 0.2, 1.0, 3.0)
    _TWICE = 0.15

    def __init__(self, seed: int, clock: Clock) -> None:
        super().__init__()
        self._chance = random.Random(seed)
        self._clock = clock

    async def told(self, resource: ApiResource, scope: Scope, start: Start, batches: Batches) -> Batches:
        """Tells each change when its time has come."""
        ripe: asyncio.Queue[list[Change[Any]]] = asyncio.Queue()
        carriers: set[asyncio.Task[None]] = set()

        async def carry(change: Change[Any], wait: float) -> None:
            await self._clock.sleep(wait)
            ripe.put_nowait([change])

        async def take_all() -> None:
            async with aclosing(batches):
                async for batch in batches:
                    if not batch:
                        ripe.put_nowait([])
                    for change in batch:
                        for wait in self._waits():
                            carriers.add(asyncio.create_task(carry(change, wait)))

        taking = asyncio.create_task(take_all())
        try:
            while True:
                yield await ripe.get()
        finally:
            for task in (taking, *carriers):
                task.cancel()
            await asyncio.wait([taking, *carriers])

    def _waits(self) -> list[float]:
        times = 2 if self._chance.random() < self._TWICE else 1
        return [self._chance.choice(self._WAITS) for _ in range(times)]


class Memory:
    """Everything that was ever told about each resource, to show an old view of it."""

    def __init__(self) -> None:
        self._first: dict[_Name, Page[Any]] = {}
        self._changes: dict[_Name, list[Change[Any]]] = {}
        self.begin = 0
        self.revision = 0

    def take_page(self, name: _Name, page: Page[Any]) -> None:
        """Remembers the first list of a resource."""
        self._first.setdefault(name, page)
        self.begin = self.begin or order_of(page.revision)
        self.revision = max(self.revision, order_of(page.revision))

    def take(self, name: _Name, batch: Sequence[Change[Any]]) -> None:
        """Remembers changes."""
        for change in batch:
            if change.object is not None:
                self._changes.setdefault(name, []).append(change)
                self.revision = max(self.revision, _version(change))

    def view(self, name: _Name, revision: int) -> Page[Any] | None:
        """Returns a resource as it was, None when it was never listed."""
        first = self._first.get(name)
        if first is None:
            return None
        held: dict[ObjectKey, Any] = {_key(item): item for item in first.items}
        for change in self._changes.get(name, ()):
            if _version(change) > revision:
                break
            if change.verb == "DELETED":
                held.pop(_key(change.object), None)
            else:
                held[_key(change.object)] = change.object
        return Page(list(held.values()), str(max(revision, order_of(first.revision))))


class Remember(Crash):
    """An operator that dies after a call; what it was told is kept."""

    def __init__(self, number: int, memory: Memory) -> None:
        super().__init__(number, "after")
        self._memory = memory

    def listed(self, resource: ApiResource, scope: Scope, page: Page[Any]) -> Page[Any]:
        """Keeps the page."""
        self._memory.take_page((resource, scope), page)
        return page

    async def told(self, resource: ApiResource, scope: Scope, start: Start, batches: Batches) -> Batches:
        """Keeps the changes."""
        async with aclosing(batches):
            async for batch in batches:
                self._memory.take((resource, scope), batch)
                yield batch


class Stale(Trouble):
    """An operator that begins with an old view and learns what happened since change by change, with time to act on each.

    Everything is told in the order in which it happened, whatever it is about.
    """

    _STEP = 0.1

    def __init__(self, memory: Memory, behind: int, part: str, clock: Clock) -> None:
        super().__init__()
        self._memory = memory
        self._revision = max(memory.begin, memory.revision - behind)
        self._part = part
        self._clock = clock
        self._began = clock.monotonic()

    def _is_stale(self, resource: ApiResource) -> bool:
        is_job = resource.group == GROUP
        return self._part == "everything" or (self._part == "the job") == is_job

    def listed(self, resource: ApiResource, scope: Scope, page: Page[Any]) -> Page[Any]:
        """Shows the old view."""
        old = self._memory.view((resource, scope), self._revision) if self._is_stale(resource) else None
        return page if old is None else old

    async def told(self, resource: ApiResource, scope: Scope, start: Start, batches: Batches) -> Batches:
        """Tells what happened since, slowly."""
        is_slow = self._is_stale(resource)
        async with aclosing(batches):
            async for batch in batches:
                if not batch or not is_slow:
                    yield batch
                    continue
                for change in batch:
                    if change.object is not None:
                        due = self._began + (_version(change) - self._revision) * self._STEP
                        await self._clock.sleep(due - self._clock.monotonic())
                    yield [change]


def _version(change: Change[Any]) -> int:
    return order_of(identity_of(change.object).version)


def _key(held: Any) -> ObjectKey:
    namespace, name, _, _ = identity_of(held)
    return ObjectKey(namespace, name)
