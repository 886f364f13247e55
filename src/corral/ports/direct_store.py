"""A Kubernetes API for a caller that has no loop: one person, one command, one question after the other.

The contracts of the verbs are those of `corral.ports.object_store`, without `await`. A store is used by one thread only;
who needs several asks its opener for as many.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Protocol, TypeVar

from corral.kinds.catalogue import Catalogue
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
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

T = TypeVar("T")


class DirectStore(Protocol):
    """Everything that the commands ask of an API."""

    def get(self, resource: ApiResource, key: ObjectKey, *, subresource: str = "") -> Object:
        """Returns the object, or what is below it. Absent: NotFoundError."""

    def list(self, resource: ApiResource, scope: Scope = EVERYTHING) -> list[Object]:
        """Returns all objects of the scope."""

    def list_table(self, resource: ApiResource, scope: Scope = EVERYTHING) -> Object:
        """Returns the server's own Table of a list; a server without tables answers with the list itself."""

    def pages(self, resource: ApiResource, scope: Scope, shape: type[T]) -> Iterator[Page[T]]:
        """Yields a list page by page, decoded into `shape`."""

    def watch(
        self, resource: ApiResource, scope: Scope, start: Start, shape: type[T]
    ) -> Generator[Sequence[Change[T]], None, None]:
        """Yields changes in batches until the server ends the stream; the first batch is empty."""

    def create(self, resource: ApiResource, obj: Object, options: WriteOptions = PLAIN) -> Object:
        """Stores a new object and returns it as stored. The name is taken: AlreadyExistsError."""

    def patch(self, resource: ApiResource, key: ObjectKey, patch: Patch, *, options: WriteOptions = PLAIN) -> Object:
        """Changes parts of an object and returns the result."""

    def delete(self, resource: ApiResource, key: ObjectKey, options: DeleteOptions = GENTLY) -> Object | None:
        """Asks for deletion; returns the object when it stays a while."""

    def logs(
        self, key: ObjectKey, options: LogOptions = WHOLE_LOG, *, quiet_limit: float | None = None
    ) -> Generator[bytes, None, None]:
        """Yields a container's log in pieces; a cut of the connection is UnreachableError, a clean end is an end."""

    def catalogue(self, *, refresh: bool = False) -> Catalogue:
        """Returns what the server serves, asked once per store."""

    def version(self) -> str:
        """Returns which release the server says it is."""

    def close(self) -> None:
        """Ends the connection; the next call opens another."""

    def cut(self) -> None:
        """Gives the store up, from any thread: the call under way and all later ones end in CutOffError."""


StoreOpener = Callable[[], DirectStore]
"""Makes another store of the same API, for another thread."""
