"""The client of the command line: standard library only, one connection, quick to import.

Same calls, same answers and same retries as the asynchronous client; only sending differs. Not safe for use by several
threads, but for `cut`: a command has one.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, TypeVar

from corral.adapters.kubernetes import calls
from corral.adapters.kubernetes.access import DEFAULT_TIMEOUTS, Access, Timeouts
from corral.adapters.kubernetes.answers import Answer, ChangeReader, LineSplitter, object_in, page_in
from corral.adapters.kubernetes.discovery import discovering
from corral.adapters.kubernetes.paging import Paging
from corral.adapters.kubernetes.retrying import PATIENT, RetryPolicy
from corral.adapters.kubernetes.sync_transport import SyncTransport
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
PAGE_SIZE = 5_000
"""How many objects of a list are asked for at a time. A command shows nothing before it has all of them, and of real servers
only the first page comes from memory: the second page of 500 jobs took 120 ms longer than both did in one."""


class SyncClient:
    """Talks to one API server; use as a context manager or `close` it."""

    def __init__(
        self,
        access: Access,
        *,
        policy: RetryPolicy = PATIENT,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        manager: str = "corral",
        warn: Callable[[str], None] | None = None,
        trace: Callable[[str], None] | None = None,
    ) -> None:
        self.access = access
        self._transport = SyncTransport(access, policy, timeouts, warn, trace)
        self._manager = manager
        self._catalogue: Catalogue | None = None

    def __enter__(self) -> "SyncClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the next call opens another."""
        self._transport.close()

    def cut(self) -> None:
        """Gives the client up, from any thread: the call under way and all later ones end in CutOffError."""
        self._transport.cut()

    # --- verbs, see corral.ports.object_store for the contracts ---

    def get(self, resource: ApiResource, key: ObjectKey, *, subresource: str = "", accept: str = calls.JSON) -> Object:
        """Returns one object (or its Table, when `accept` asks for that)."""
        return object_in(self._transport.send(calls.get(resource, key, subresource=subresource, accept=accept)))

    def list(self, resource: ApiResource, scope: Scope = EVERYTHING) -> list[Object]:
        """Returns all objects of the scope."""
        found: list[Object] = []
        for page in self.pages(resource, scope, dict[str, Any]):
            if page.is_first:
                found.clear()
            found += page.items
        return found

    def pages(
        self, resource: ApiResource, scope: Scope, shape: type[T], *, page_size: int = PAGE_SIZE
    ) -> Iterator[Page[T]]:
        """Yields a list page by page."""
        paging = Paging(resource, scope, page_size)
        while (call := paging.next_call()) is not None:
            try:
                answer = self._transport.send(call)
            except ExpiredError as error:
                paging.expired(error)
                continue
            yield paging.took(page_in(answer, resource, shape))

    def list_table(self, resource: ApiResource, scope: Scope = EVERYTHING, *, limit: int = 0) -> Object:
        """Returns the server's own Table of a list, as kubectl prints it."""
        accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
        return object_in(self._transport.send(calls.list_page(resource, scope, limit=limit, accept=accept)))

    def watch(
        self, resource: ApiResource, scope: Scope, start: Start, shape: type[T]
    ) -> Generator[Sequence[Change[T]], None, None]:
        """Yields changes in batches until the server ends the stream; the first batch is empty."""
        call = calls.watch(resource, scope, start)
        reader, splitter = ChangeReader(call.what, shape), LineSplitter()
        for data in self._transport.stream(call, quiet_limit=start.quiet_limit):
            yield reader.read(splitter.feed(data))
            if reader.refusal is not None:
                raise reader.refusal

    def create(
        self, resource: ApiResource, obj: Object, options: WriteOptions = PLAIN, *, subresource: str = ""
    ) -> Object:
        """Stores a new object."""
        return object_in(
            self._transport.send(calls.create(resource, obj, options, manager=self._manager, subresource=subresource))
        )

    def update(
        self, resource: ApiResource, obj: Object, *, subresource: str = "", options: WriteOptions = PLAIN
    ) -> Object:
        """Replaces an object."""
        return object_in(
            self._transport.send(calls.update(resource, obj, options, manager=self._manager, subresource=subresource))
        )

    def patch(
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
        return object_in(self._transport.send(call))

    def delete(self, resource: ApiResource, key: ObjectKey, options: DeleteOptions = GENTLY) -> Object | None:
        """Asks for deletion; returns the object when it stays a while."""
        answer = object_in(self._transport.send(calls.delete(resource, key, options)))
        return None if answer.get("kind") == "Status" else answer

    def delete_collection(
        self, resource: ApiResource, scope: Scope = EVERYTHING, options: DeleteOptions = GENTLY
    ) -> None:
        """Asks for deletion of everything in the scope."""
        self._transport.send(calls.delete_collection(resource, scope, options))

    def logs(
        self, key: ObjectKey, options: LogOptions = WHOLE_LOG, *, quiet_limit: float | None = None
    ) -> Generator[bytes, None, None]:
        """Yields a container's log in pieces; a followed log may be silent for as long as it likes."""
        for data in self._transport.stream(calls.logs(POD, key, options), quiet_limit=quiet_limit):
            if data:
                yield data

    def raw(self, method: str, target: str, body: bytes | None = None, *, content_type: str = calls.JSON) -> bytes:
        """Returns the body of any path of the server."""
        return self._transport.send(calls.raw(method, target, body, content_type=content_type, accept="*/*")).body

    def version(self) -> str:
        """Returns which release the server says it is."""
        return str(object_in(self._transport.send(calls.raw("GET", "/version"))).get("gitVersion", ""))

    def catalogue(self, *, refresh: bool = False) -> Catalogue:
        """Returns what the server serves, asked once per client."""
        if self._catalogue is None or refresh:
            conversation = discovering()
            told: Answer | Exception | None = None
            while True:
                try:
                    call = conversation.send(told)
                except StopIteration as end:
                    self._catalogue = end.value
                    break
                try:
                    told = self._transport.send(call)
                except PermanentError as error:
                    told = error
        assert self._catalogue is not None
        return self._catalogue
