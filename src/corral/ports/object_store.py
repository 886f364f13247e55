"""What the loops need from a Kubernetes API: reading, writing and watching objects.

Contract for every method, whoever implements it:

- Objects are plain JSON values. What a method returns belongs to the caller; what it is given is not changed.
- Failures are raised as `corral.ports.refusals`, never as exceptions of a library.
- Cancelling a call leaves it undecided: a write may or may not have happened. The same holds for an
  `UnreachableError` with `delivered`. Callers make writes repeatable (fixed names, versions, uids) instead of hoping.
- Waiting is bounded: an implementation has limits for connecting and answering and raises `UnreachableError`.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec

from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey

T = TypeVar("T")


class Scope(msgspec.Struct, frozen=True):
    """Which objects of a resource: one namespace ("" is all), label and field selectors in the server's syntax."""

    namespace: str = ""
    labels: str = ""
    fields: str = ""
    metadata_only: bool = False
    """Whether the server shall send metadata only (PartialObjectMetadata): enough for garbage collection."""


EVERYTHING = Scope()


class Page(msgspec.Struct, Generic[T]):
    """One page of a list; `revision` is that of the whole list, the same on each page."""

    items: list[T]
    revision: str
    unreadable: int = 0
    """How many objects could not be decoded into the asked shape and were left out."""
    is_first: bool = True
    """Whether pages before this one must be forgotten: true again when the list had to start over."""


class Change(msgspec.Struct, Generic[T]):
    """One event of a watch.

    A BOOKMARK has no object of interest, only `revision`: everything up to it was sent. `initial_events_end` marks the
    bookmark after which a streamed list is complete.
    """

    verb: str
    """ADDED, MODIFIED, DELETED or BOOKMARK."""
    object: T | None
    revision: str = ""
    initial_events_end: bool = False


class Start(msgspec.Struct, frozen=True):
    """Where a watch begins and how long it may last."""

    revision: str = ""
    """Changes after this one are sent; "" with `initial_events` streams the present state first."""
    initial_events: bool = False
    timeout_seconds: int = 300
    """After this the server ends the stream cleanly."""
    quiet_limit: float = 40.0
    """After so many seconds without a byte the stream counts as dead: `UnreachableError` with `timed_out`."""


class Patch(msgspec.Struct, frozen=True):
    """A change to an object, in one of the four forms of the API."""

    form: Literal["json", "merge", "strategic", "apply"]
    body: Any


class WriteOptions(msgspec.Struct, frozen=True):
    """What may accompany a write."""

    manager: str = ""
    """The field manager; "" is the client's own."""
    force: bool = False
    """For apply: take fields from other managers instead of a conflict."""
    dry_run: bool = False
    """Whether the server shall check and answer as if, and store nothing."""
    validation: Literal["", "Ignore", "Warn", "Strict"] = ""
    """What the server does about unknown and duplicate fields; "" leaves its default."""
    deterministic: bool = False
    """For create: the name is fixed by what the object is for, so a repeated create cannot make a second one."""


class DeleteOptions(msgspec.Struct, frozen=True):
    """How an object goes."""

    propagation: Literal["", "Background", "Foreground", "Orphan"] = ""
    grace_seconds: int | None = None
    uid: str = ""
    """Only if the object still has this uid; otherwise ConflictError."""
    version: str = ""
    """Only if the object is still in this version; otherwise ConflictError."""
    dry_run: bool = False


PLAIN = WriteOptions()
AT_ONCE = DeleteOptions(grace_seconds=0)
GENTLY = DeleteOptions()


class ObjectReader(Protocol):
    """Reads the present state, never a cache: the answer is at least as new as the last write anybody got answered."""

    async def get(self, resource: ApiResource, key: ObjectKey, *, subresource: str = "") -> Object:
        """Returns the object. Absent: NotFoundError."""

    async def list(self, resource: ApiResource, scope: Scope = EVERYTHING) -> list[Object]:
        """Returns all objects of the scope, of one moment; none is an empty list. Unknown kind: NotFoundError."""


class ObjectWriter(Protocol):
    """Writes; each success is durable when it returns. Called twice, see each method."""

    async def create(
        self, resource: ApiResource, obj: Object, options: WriteOptions = PLAIN, *, subresource: str = ""
    ) -> Object:
        """Stores a new object and returns it as stored; `binding` and `eviction` are created as subresources of a pod.

        Name taken: AlreadyExistsError, also when it was our own earlier try whose answer was lost. The namespace is
        that of `obj.metadata`. With `deterministic`, the implementation may repeat an undecided try by itself.
        """

    async def update(
        self, resource: ApiResource, obj: Object, *, subresource: str = "", options: WriteOptions = PLAIN
    ) -> Object:
        """Replaces the whole object, or only its `status` with that subresource.

        With `metadata.resourceVersion` it is compare-and-swap: a newer version gives ConflictError, and so does the
        repetition of an update that had succeeded. Absent: NotFoundError.
        """

    async def patch(
        self,
        resource: ApiResource,
        key: ObjectKey,
        patch: Patch,
        *,
        subresource: str = "",
        options: WriteOptions = PLAIN,
    ) -> Object:
        """Changes parts of an object and returns the result.

        `apply` creates an absent object and may meet ConflictError from other field managers. A patch that carries
        metadata.resourceVersion is compare-and-swap. Merge, strategic and apply may be repeated; json may not.
        """

    async def delete(self, resource: ApiResource, key: ObjectKey, options: DeleteOptions = GENTLY) -> Object | None:
        """Asks for deletion.

        Returns the object when it stays a while (grace period, finalizers), None when it is gone. Absent:
        NotFoundError. Another uid or version than asked for: ConflictError. Asking again is harmless.
        """

    async def delete_collection(
        self, resource: ApiResource, scope: Scope = EVERYTHING, options: DeleteOptions = GENTLY
    ) -> None:
        """Asks for deletion of everything in the scope; nothing there is a success."""


class ObjectWatcher(Protocol):
    """Follows the state of a resource; what the list-watch cache is built on."""

    def pages(
        self, resource: ApiResource, scope: Scope, shape: type[T], *, page_size: int = 500
    ) -> AsyncGenerator[Page[T], None]:
        """Yields the present state page by page, all pages of one revision.

        When the revision expires between pages the list starts over and says so with `is_first`. Decoding goes
        straight into `shape` (a dict or a Struct with `metadata`); an object that does not fit is counted, not fatal.
        """

    def watch(
        self, resource: ApiResource, scope: Scope, start: Start, shape: type[T]
    ) -> AsyncGenerator[Sequence[Change[T]], None]:
        """Yields changes after `start.revision` in batches, in the server's order.

        Ends when the server ends the stream. Revision no longer kept: ExpiredError, at the start or within. Silence
        beyond the quiet limit or a cut: UnreachableError. The first batch comes empty as soon as the server has
        accepted the watch, so that the caller knows it was heard.
        """


class ObjectStore(ObjectReader, ObjectWriter, ObjectWatcher, Protocol):
    """Everything together: what a controller is given."""
