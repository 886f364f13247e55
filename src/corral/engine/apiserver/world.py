"""What every verb may use: the store, the catalog, the time and fresh names. One per server."""

import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol

from corral.engine.apiserver import failures
from corral.engine.apiserver.catalog import Catalog
from corral.engine.apiserver.storage.store import Listener, Store

NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""The letters of generated names: no vowels and no look-alikes, so that no words come out."""

MOST_WATCHES = 10_000
"""Each change is handed to every watch of its kind, and each watch may hold a backlog; more are told to come back."""

MOST_STREAMS = 1_000
"""Each is two connections; more are told to come back."""


class Watches:
    """The watches under way, so that they can be counted, and ended when the server stops."""

    def __init__(self) -> None:
        self._open: set[Watching] = set()
        self.refused = 0

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, store: Store, collection: str, watcher: "Watching") -> Callable[[], None]:
        """Lets a watcher hear of changes from now on; returns the function that ends it; 429 when there are too many."""
        if len(self._open) >= MOST_WATCHES:
            self.refused += 1
            raise failures.too_many_requests("Too many watches, please try again later.")
        stop = store.listen(collection, watcher, failed=watcher.close)
        self._open.add(watcher)

        def end() -> None:
            stop()
            self._open.discard(watcher)

        return end

    def close(self) -> None:
        """Ends every watch."""
        for watcher in list(self._open):
            watcher.close()


class Streams:
    """The answers of nodes that are being passed on, so that they are bounded, and ended when the server stops."""

    def __init__(self) -> None:
        self._open: dict[int, Callable[[], None]] = {}
        self._begun = 0

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, cut: Callable[[], None]) -> Callable[[], None]:
        """Notes a stream that `cut` ends; returns the function to call when it is over; 429 when there are too many."""
        if len(self._open) >= MOST_STREAMS:
            cut()
            raise failures.too_many_requests("Too many streams from nodes, please try again later.")
        self._begun += 1
        number = self._begun
        self._open[number] = cut

        def end() -> None:
            self._open.pop(number, None)

        return end

    def close(self) -> None:
        """Cuts every stream."""
        for cut in list(self._open.values()):
            cut()


class Watching(Listener, Protocol):
    """A listener that can be told to end."""

    def close(self) -> None:
        """Ends the watch."""


@dataclass
class World:
    """The state of the server and its only sources of time and chance."""

    store: Store
    catalog: Catalog
    watches: Watches = field(default_factory=Watches)
    streams: Streams = field(default_factory=Streams)
    chance: random.Random = field(default_factory=random.SystemRandom)
    node_token: str = ""
    """What nodes are shown to prove who asks."""

    def now(self) -> float:
        """Returns the time in seconds since the epoch."""
        return time.time()

    def timestamp(self, ahead: float = 0) -> str:
        """Returns the time as objects carry it, to the second."""
        return _timestamp(int(self.now() + ahead))

    def new_uid(self) -> str:
        """Returns a fresh uid."""
        return str(uuid.uuid4())

    def generated_name(self, prefix: str) -> str:
        """Returns a name for a generateName prefix: cut to leave room, plus five letters."""
        return prefix[:58] + "".join(self.chance.choices(NAME_ALPHABET, k=5))


@lru_cache(maxsize=16)
def _timestamp(second: int) -> str:
    """Every write of a second asks for the same text, twice."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
