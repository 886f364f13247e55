"""Reading logs up to their present end: the failed ranks first, then all others merged by time."""

import heapq
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from corral.control.desk.jobs.lines import sizes_of, status_of
from corral.control.desk.logs.cursor import LogCursor, Piece, nanoseconds
from corral.control.desk.logs.kept import GONE, latest_of_each_place, pods_gone, read_kept
from corral.control.desk.logs.sources import (
    NO_SIZES,
    Choice,
    LoggedPod,
    Source,
    chosen_sources,
    has_started,
    in_order_of_failure,
    refuse_empty_choice,
)
from corral.control.desk.naming.finding import Found
from corral.control.desk.session import Session
from corral.errors import PermanentError, RetryError
from corral.kinds.well_known import POD
from corral.ports.direct_store import DirectStore
from corral.ports.kept_logs import KeptLog
from corral.ports.log_source import LogOptions
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, NotFoundError, UnauthorizedError
from corral.reconcile.moments import seconds_of

PATIENCE = 15.0
"""How long a log that was cut is asked for again."""
QUIET_LIMIT = 60.0
"""After so long a silence a stream is opened anew: it may have died without a word."""
MOST_AT_ONCE = 64
"""How many logs are merged; more are read one after the other."""


class Printed(NamedTuple):
    """Lines of one source."""

    source: Source
    pieces: Sequence[Piece]


class Note(NamedTuple):
    """Something that the reader shall know and that nobody printed."""

    text: str


Heard = Printed | Note


def pods_of(store: DirectStore, scope: Scope) -> list[LoggedPod]:
    """Returns the pods whose logs can be read."""
    found: list[LoggedPod] = []
    for page in store.pages(POD, scope, LoggedPod):
        if page.is_first:
            found.clear()
        found += page.items
    return found


class Shelf(NamedTuple):
    """Where logs are found: the pods, those that are gone among them, and what was kept of these."""

    pods: list[LoggedPod]
    kept: Sequence[KeptLog] = ()
    failed: frozenset[str] = frozenset()
    """The uids of pods that failed, by the status of the job."""
    sizes: Mapping[str, int] = NO_SIZES
    """How many pods each role has, by the job itself."""

    def has_begun(self, source: Source) -> bool:
        """Whether there is something to read."""
        pod = self.pod(source)
        return pod.phase == GONE or has_started(pod, source.container)

    def has_failed(self, source: Source) -> bool:
        """Whether the pod has failed; one that is taken away with its job was only ended."""
        pod = self.pod(source)
        return source.uid in self.failed or (pod.phase == "Failed" and not pod.is_terminating)

    def pod(self, source: Source) -> LoggedPod:
        """Returns the pod of a source."""
        return next(pod for pod in self.pods if pod.uid == source.uid)


def shelf_of(session: Session, job: Found) -> Shelf:
    """Returns the pods of a job, and those that are gone and left their logs."""
    pods = pods_of(session.store, job.pods)
    kept = session.kept(*job.key)
    born = seconds_of(job.object["metadata"].get("creationTimestamp")) or 0.0
    gone = pods_gone(kept, {pod.uid for pod in pods}, job.key.namespace, since=born)
    failures = status_of(job.object).get("failures") or []
    return Shelf([*gone, *pods], kept, frozenset(str(one.get("podUid")) for one in failures), sizes_of(job.object))


def shelf_left_by(session: Session, name: str) -> Shelf:
    """Returns what is kept of a job, or of a pod, that is gone itself."""
    kept = session.kept(session.namespace, name)
    return Shelf(latest_of_each_place(pods_gone(kept, set(), session.namespace, since=0.0)), kept)


def read_present(session: Session, shelf: Shelf, choice: Choice) -> Iterator[Heard]:
    """Yields everything that was printed until now: by failed pods first, then by all others in the order of time."""
    refuse_empty_choice(shelf.pods, choice, shelf.sizes)
    sources = chosen_sources(shelf.pods, choice, shelf.sizes)
    if not sources:
        yield Note("there are no pods")
    for one in (one for one in sources if not shelf.has_begun(one)):
        yield Note(f"{one.label} has not started: {shelf.pod(one).phase}")
    begun = [one for one in sources if shelf.has_begun(one)]
    failed = in_order_of_failure(shelf.pods, [one for one in begun if shelf.has_failed(one)])
    others = [one for one in begun if not shelf.has_failed(one)]
    if failed and others:
        yield Note(f"{failed[0].label} failed{' first' if len(failed) > 1 else ''}: its lines come first")
    for source in failed:
        yield from _read(session.store, shelf, source, choice)
    if len(others) > MOST_AT_ONCE or len(others) < 2:
        for source in others:
            yield from _read(session.store, shelf, source, choice)
    else:
        yield from _merged(session, shelf, others, choice)


def _merged(session: Session, shelf: Shelf, sources: Sequence[Source], choice: Choice) -> Iterator[Heard]:
    stores = [session.open_store() for _ in sources]
    try:
        streams = [_stamped(store, shelf, source, choice) for store, source in zip(stores, sources, strict=True)]
        for _, heard in heapq.merge(*streams, key=lambda pair: pair[0]):
            yield heard
    finally:
        for store in stores:
            store.close()


def _stamped(store: DirectStore, shelf: Shelf, source: Source, choice: Choice) -> Iterator[tuple[int, Heard]]:
    last, stamp = 0, b""
    for heard in _read(store, shelf, source, choice):
        if isinstance(heard, Note):
            yield last, heard
            continue
        for piece in heard.pieces:
            if piece.stamp != stamp:
                stamp, last = piece.stamp, max(last, nanoseconds(piece.stamp))
            yield last, Printed(source, (piece,))


def _read(store: DirectStore, shelf: Shelf, source: Source, choice: Choice) -> Iterator[Heard]:
    """Yields one log; what cannot be read is noted, and the others are read nevertheless."""
    if shelf.pod(source).phase == GONE:
        yield from _kept(shelf, source, choice)
        return
    has_begun = False
    try:
        for pieces in read_through(store, source, choice.options(source.container)):
            has_begun = True
            yield Printed(source, pieces)
    except (ForbiddenError, UnauthorizedError):
        raise
    except PermanentError as error:
        # A pod that went between the list and this look has left its log; once begun, it would be told twice.
        kept = [] if has_begun or not isinstance(error, NotFoundError) else list(_kept(shelf, source, choice))
        yield from kept or [Note(f"{source.label}: {error.message}")]


def _kept(shelf: Shelf, source: Source, choice: Choice) -> Iterator[Heard]:
    for pieces in read_kept(shelf.kept, source.uid, source.container, choice, time.time()):
        yield Printed(source, pieces)


def read_through(
    store: DirectStore, source: Source, options: LogOptions, cursor: LogCursor | None = None
) -> Iterator[list[Piece]]:
    """Yields a log to its present end, going on after cuts; gives up when it is cut for too long."""
    cursor = cursor or LogCursor()
    deadline = time.monotonic() + PATIENCE
    wait = 0.1
    while True:
        try:
            for pieces in one_stream(store, source, options, cursor):
                deadline, wait = time.monotonic() + PATIENCE, 0.1
                yield pieces
            return
        except RetryError:
            if time.monotonic() >= deadline:
                raise
        time.sleep(wait)
        wait = min(wait * 2, 2.0)


class LostPlaceError(Exception):
    """A stream does not hold what was read of its log before: it is of another run, or the log was cut short."""


def one_stream(
    store: DirectStore, source: Source, options: LogOptions, cursor: LogCursor, *, strictly: bool = False
) -> Iterator[list[Piece]]:
    """Yields the news of one stream; it continues where the cursor is.

    When that place is not in the log any more, it goes on with whatever is later, or raises when it is to be strict.
    """
    if cursor.has_begun:
        options = LogOptions(
            container=options.container,
            follow=options.follow,
            previous=options.previous,
            timestamps=True,
            since_time=cursor.resumes_from,
        )
    cursor.begin()
    with closing(store.logs(source.pod, options, quiet_limit=QUIET_LIMIT)) as stream:
        for data in stream:
            if pieces := _found_again(cursor, cursor.feed(data), strictly=strictly):
                yield pieces
    if pieces := _found_again(cursor, cursor.finish(), strictly=strictly):
        yield pieces


def _found_again(cursor: LogCursor, pieces: list[Piece], *, strictly: bool) -> list[Piece]:
    if not cursor.is_lost:
        return pieces
    if strictly:
        raise LostPlaceError
    return pieces + cursor.go_on_regardless()
