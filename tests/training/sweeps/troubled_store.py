"""A store between an operator and the server that counts every call and lets a trouble happen at any of them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Any, TypeVar

from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import EVENT
from corral.ports.clock import Clock
from corral.ports.object_store import (
    EVERYTHING,
    GENTLY,
    PLAIN,
    Change,
    DeleteOptions,
    ObjectStore,
    Page,
    Patch,
    Scope,
    Start,
    WriteOptions,
)

T = TypeVar("T")
Batches = AsyncGenerator[Sequence[Change[Any]], None]


class Trouble:
    """What goes wrong; this one lets everything pass, and counts."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        """What was asked of the server, in order."""
        self.writes = 0
        """Calls that may have changed something, events aside."""
        self.is_fatal = False
        """Whether the operator has died of it."""
        self.is_followed_at_once = False
        """Whether the next operator comes before anything else happens; otherwise pods run and end meanwhile."""

    async def before(self, what: str) -> int:
        """Is called before a request leaves; returns its number, from 1."""
        self.calls.append(what)
        return len(self.calls)

    async def after(self, number: int) -> None:
        """Is called when the answer is there, before the operator sees it."""

    def listed(self, resource: ApiResource, scope: Scope, page: Page[Any]) -> Page[Any]:
        """Returns a page of a list as the operator shall see it."""
        return page

    def told(self, resource: ApiResource, scope: Scope, start: Start, batches: Batches) -> Batches:
        """Returns the changes of a watch as the operator shall see them."""
        return batches


class TroubledStore:
    """Implements `ObjectStore` over another one; watches end by the clock of the test."""

    def __init__(self, inner: ObjectStore, clock: Clock, trouble: Trouble) -> None:
        self._inner = inner
        self._clock = clock
        self._trouble = trouble

    # --- calls ---

    async def _call(self, what: str, resource: ApiResource, send: Callable[[], Awaitable[T]]) -> T:
        number = await self._trouble.before(what)
        if not what.startswith("get") and resource != EVENT:
            self._trouble.writes += 1
        try:
            answer = await send()
        except CorralError:
            await self._trouble.after(number)
            raise
        await self._trouble.after(number)
        return answer

    async def get(self, resource: ApiResource, key: ObjectKey, *, subresource: str = "") -> Object:
        """Returns one object."""
        return await self._call(
            f"get {resource.kind}", resource, lambda: self._inner.get(resource, key, subresource=subresource)
        )

    async def list(self, resource: ApiResource, scope: Scope = EVERYTHING) -> list[Object]:
        """Returns all objects."""
        return await self._call(f"get {resource.plural}", resource, lambda: self._inner.list(resource, scope))

    async def create(
        self, resource: ApiResource, obj: Object, options: WriteOptions = PLAIN, *, subresource: str = ""
    ) -> Object:
        """Stores a new object."""
        return await self._call(
            f"create {resource.kind}",
            resource,
            lambda: self._inner.create(resource, obj, options, subresource=subresource),
        )

    async def update(
        self, resource: ApiResource, obj: Object, *, subresource: str = "", options: WriteOptions = PLAIN
    ) -> Object:
        """Replaces an object."""
        return await self._call(
            f"update {resource.kind}",
            resource,
            lambda: self._inner.update(resource, obj, subresource=subresource, options=options),
        )

    async def patch(
        self,
        resource: ApiResource,
        key: ObjectKey,
        patch: Patch,
        *,
        subresource: str = "",
        options: WriteOptions = PLAIN,
    ) -> Object:
        """Changes parts of an object."""
        return await self._call(
            f"patch {resource.kind}",
            resource,
            lambda: self._inner.patch(resource, key, patch, subresource=subresource, options=options),
        )

    async def delete(self, resource: ApiResource, key: ObjectKey, options: DeleteOptions = GENTLY) -> Object | None:
        """Asks for deletion."""
        return await self._call(f"delete {resource.kind}", resource, lambda: self._inner.delete(resource, key, options))

    async def delete_collection(
        self, resource: ApiResource, scope: Scope = EVERYTHING, options: DeleteOptions = GENTLY
    ) -> None:
        """Asks for deletion of many."""
        await self._call(
            f"delete {resource.plural}", resource, lambda: self._inner.delete_collection(resource, scope, options)
        )

    # --- following ---

    async def pages(
        self, resource: ApiResource, scope: Scope, shape: type[T], *, page_size: int = 500
    ) -> AsyncGenerator[Page[T], None]:
        """Yields the state as the trouble shows it."""
        what = f"list {resource.plural}"
        number = await self._trouble.before(what)
        async with aclosing(self._inner.pages(resource, scope, shape, page_size=page_size)) as pages:
            async for page in pages:
                await self._trouble.after(number)
                yield self._trouble.listed(resource, scope, page)

    async def watch(
        self, resource: ApiResource, scope: Scope, start: Start, shape: type[T]
    ) -> AsyncGenerator[Sequence[Change[T]], None]:
        """Yields changes as the trouble shows them, until the time of the watch is over by the test's clock."""
        what = f"watch {resource.plural}"
        number = await self._trouble.before(what)
        patient = Start(start.revision, start.initial_events, 3600, 3600.0)
        inner = self._inner.watch(resource, scope, patient, shape)
        shown = self._trouble.told(resource, scope, start, inner)
        async with aclosing(timed(shown, self._clock, start.timeout_seconds)) as batches:
            is_open = False
            async for batch in batches:
                if not is_open:
                    is_open = True
                    await self._trouble.after(number)
                yield batch


async def timed(batches: Batches, clock: Clock, seconds: float) -> Batches:
    """Yields batches until the clock says that it is enough."""
    arrived: asyncio.Queue[Sequence[Change[Any]] | BaseException | None] = asyncio.Queue()

    async def pass_on() -> None:
        try:
            async with aclosing(batches):
                async for batch in batches:
                    arrived.put_nowait(batch)
        except Exception as error:
            arrived.put_nowait(error)
        else:
            arrived.put_nowait(None)

    async def ring() -> None:
        await clock.sleep(seconds)
        arrived.put_nowait(None)

    tasks = [asyncio.create_task(pass_on()), asyncio.create_task(ring())]
    try:
        while (batch := await arrived.get()) is not None:
            if isinstance(batch, BaseException):
                raise batch
            yield batch
    finally:
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait(tasks)
