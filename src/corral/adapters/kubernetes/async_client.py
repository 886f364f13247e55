"""The client of the loops: `ObjectStore` and `Discovery` over HTTP.

Same calls, same answers and same retries as the client of the command line; only sending differs.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

from corral.adapters.kubernetes import calls
from corral.adapters.kubernetes.access import DEFAULT_TIMEOUTS, Access, Timeouts
from corral.adapters.kubernetes.answers import Answer, ChangeReader, LineSplitter, object_in, page_in
from corral.adapters.kubernetes.async_transport import AsyncTransport
from corral.adapters.kubernetes.discovery import discovering
from corral.adapters.kubernetes.paging import Paging
from corral.adapters.kubernetes.retrying import PATIENT, RetryPolicy
from corral.errors import PermanentError
from corral.kinds.catalogue import Catalogue
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import POD
from corral.ports.log_source import WHOLE_LOG, LogOptions
from corral.ports.object_store import (
    EVERYTHING,
    GENTLY,
    PLAIN,
    Change,
    DeleteOptions,
    Page,
    Patch,
    Scope,
    Start,
    WriteOptions,
)
from corral.ports.refusals import ExpiredError

T = TypeVar("T")


class AsyncClient:
    """Talks to one API server from one event loop; use as an async context manager or `close` it."""

    def __init__(
        self,
        access: Access,
        *,
        policy: RetryPolicy = PATIENT,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        manager: str = "corral",
    ) -> None:
        self.access = access
        self._transport = AsyncTransport(access, policy, timeouts)
        self._manager = manager
        self._catalogue: Catalogue | None = None

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes all connections."""
        await self._transport.close()

    # --- verbs, see corral.ports.object_store for the contracts ---

    async def get(self, resource: ApiResource, key: ObjectKey, *, subresource: str = "") -> Object:
        """Returns one object."""
        return object_in(await self._transport.send(calls.get(resource, key, subresource=subresource)))

    async def list(self, resource: ApiResource, scope: Scope = EVERYTHING) -> list[Object]:
        """Returns all objects of the scope."""
        found: list[Object] = []
        async with aclosing(self.pages(resource, scope, dict[str, Any])) as pages:
            async for page in pages:
                if page.is_first:
                    found.clear()
                found += page.items
        return found

    async def pages(
        self, resource: ApiResource, scope: Scope, shape: type[T], *, page_size: int = 500
    ) -> AsyncGenerator[Page[T], None]:
        """Yields a list page by page."""
        paging = Paging(resource, scope, page_size)
        while (call := paging.next_call()) is not None:
            try:
                answer = await self._transport.send(call)
            except ExpiredError as error:
                paging.expired(error)
                continue
            yield paging.took(page_in(answer, resource, shape))

    async def watch(
        self, resource: ApiResource, scope: Scope, start: Start, shape: type[T]
    ) -> AsyncGenerator[Sequence[Change[T]], None]:
        """Yields changes in batches until the server ends the stream; the first batch is empty."""
        call = calls.watch(resource, scope, start)
        reader, splitter = ChangeReader(call.what, shape), LineSplitter()
        async with aclosing(self._transport.stream(call, quiet_limit=start.quiet_limit)) as pieces:
            async for data in pieces:
                yield reader.read(splitter.feed(data))
                if reader.refusal is not None:
                    raise reader.refusal

    async def create(
        self, resource: ApiResource, obj: Object, options: WriteOptions = PLAIN, *, subresource: str = ""
    ) -> Object:
        """Stores a new object."""
        call = calls.create(resource, obj, options, manager=self._manager, subresource=subresource)
        return object_in(await self._transport.send(call))

    async def update(
        self, resource: ApiResource, obj: Object, *, subresource: str = "", options: WriteOptions = PLAIN
    ) -> Object:
        """Replaces an object."""
        call = calls.update(resource, obj, options, manager=self._manager, subresource=subresource)
        return object_in(await self._transport.send(call))

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
        call = calls.patch(resource, key, patch, options, manager=self._manager, subresource=subresource)
        return object_in(await self._transport.send(call))

    async def delete(self, resource: ApiResource, key: ObjectKey, options: DeleteOptions = GENTLY) -> Object | None:
        """Asks for deletion; returns the object when it stays a while."""
        answer = object_in(await self._transport.send(calls.delete(resource, key, options)))
        return None if answer.get("kind") == "Status" else answer

    async def delete_collection(
        self, resource: ApiResource, scope: Scope = EVERYTHING, options: DeleteOptions = GENTLY
    ) -> None:
        """Asks for deletion of everything in the scope."""
        await self._transport.send(calls.delete_collection(resource, scope, options))

    async def logs(
        self, key: ObjectKey, options: LogOptions = WHOLE_LOG, *, quiet_limit: float | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Yields a container's log in pieces; a followed log may be silent for as long as it likes."""
        async with aclosing(self._transport.stream(calls.logs(POD, key, options), quiet_limit=quiet_limit)) as pieces:
            async for data in pieces:
                if data:
                    yield data

    async def raw(
        self, method: str, target: str, body: bytes | None = None, *, content_type: str = calls.JSON
    ) -> bytes:
        """Returns the body of any path of the server."""
        call = calls.raw(method, target, body, content_type=content_type, accept="*/*")
        return (await self._transport.send(call)).body

    async def catalogue(self, *, refresh: bool = False) -> Catalogue:
        """Returns what the server serves, asked once per client."""
        if self._catalogue is None or refresh:
            conversation = discovering()
            told: Answer | PermanentError | None = None
            while True:
                try:
                    call = conversation.send(told)
                except StopIteration as end:
                    self._catalogue = end.value
                    break
                try:
                    told = await self._transport.send(call)
                except PermanentError as error:
                    told = error
        assert self._catalogue is not None
        return self._catalogue
