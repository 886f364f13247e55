"""Listing and watching without a loop: everything that is there, and then every change, for as long as one likes."""

from collections.abc import Callable, Generator
from contextlib import closing
from itertools import groupby
from math import inf
from typing import Final, Generic, NamedTuple, TypeVar

from corral.control.desk.patience.absence import Absence
from corral.errors import CorralError, RetryError
from corral.kinds.references import ApiResource
from corral.ports.direct_store import DirectStore
from corral.ports.object_store import Scope, Start
from corral.ports.refusals import UnreachableError

T = TypeVar("T")
QUIET_LIMIT: Final = 120.0
"""After so many seconds without a word a watch begins anew: it may have died."""
LIST: Final = "LIST"
"""The verb of everything that is there; what is not with it is gone."""


class Heard(NamedTuple, Generic[T]):
    """What a server has told: everything, one change, or nothing for a while."""

    verb: str
    """LIST, a verb of a watch, or "" when there was nothing to hear."""
    objects: list[T] = []  # noqa: RUF012 - never changed
    trouble: CorralError | None = None
    """Why there was nothing to hear, if it was not mere silence."""


class Subject(NamedTuple, Generic[T]):
    """What is listened for: which objects, and in what shape."""

    store: DirectStore
    resource: ApiResource
    scope: Scope
    shape: type[T]


def hearing(
    subject: Subject[T], absence: Absence, quiet: Callable[[], float] = lambda: QUIET_LIMIT
) -> Generator[Heard[T], None, None]:
    """Yields everything, then what changes, and everything again after a cut; never ends by itself.

    Nothing heard for `quiet` seconds is yielded as well, so that whoever waits can look at the clock. A server that is away is
    borne as long as `absence` bears it.
    """
    while True:
        has_answered = False
        try:
            found, revision = _listed(subject)
            has_answered = True
            absence.end()
            yield Heard(LIST, found)
            start = Start(revision, quiet_limit=max(quiet(), 0.1))
            with closing(subject.store.watch(subject.resource, subject.scope, start, subject.shape)) as changes:
                for batch in changes:
                    seen = [one for one in batch if one.object is not None]
                    for verb, group in groupby(seen, key=lambda one: one.verb):
                        yield Heard(verb, [one.object for one in group if one.object is not None])
        except RetryError as error:
            if has_answered and isinstance(error, UnreachableError) and error.timed_out:
                yield Heard("")
                continue
            absence.bear(error)
            yield Heard("", trouble=error)
            absence.rest(quiet())


def _listed(subject: Subject[T]) -> tuple[list[T], str]:
    """Returns everything, and of which moment that is."""
    found: list[T] = []
    revision = ""
    for page in subject.store.pages(subject.resource, subject.scope, subject.shape):
        found, revision = ([] if page.is_first else found) + page.items, page.revision
    return found, revision


class Listener(NamedTuple, Generic[T]):
    """Who is told what is there, in a thread."""

    start: Callable[[list[T]], None]
    """Takes the whole list; what is not on it is gone."""
    take: Callable[[str, T], None]
    """Takes a change: its verb, and the object."""
    worry: Callable[[CorralError], None]
    """Takes trouble that may pass."""
    is_gone: Callable[[], bool]
    """Tells whether nobody listens any more."""


def list_and_watch(subject: Subject[T], listener: Listener[T]) -> None:
    """Tells a listener what is there until it is gone; how long trouble is borne is its own affair."""
    for heard in hearing(subject, Absence(limit=inf)):
        if listener.is_gone():
            return
        if heard.verb == LIST:
            listener.start(heard.objects)
        elif heard.trouble is not None:
            listener.worry(heard.trouble)
        for one in heard.objects if heard.verb != LIST else ():
            listener.take(heard.verb, one)
