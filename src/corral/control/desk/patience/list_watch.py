"""Listing and watching from a thread of its own, for whoever follows something without a loop."""

import time
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from corral.errors import CorralError, RetryError
from corral.kinds.references import ApiResource
from corral.ports.direct_store import DirectStore
from corral.ports.object_store import Scope, Start
from corral.ports.refusals import UnreachableError

T = TypeVar("T")
_QUIET_LIMIT = 120.0
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 2.0


class Listener(NamedTuple, Generic[T]):
    """Who is told what is there."""

    start: Callable[[list[T]], None]
    """Takes the whole list; what is not on it is gone."""
    take: Callable[[str, T], None]
    """Takes a change: its verb, and the object."""
    worry: Callable[[CorralError], None]
    """Takes trouble that may pass."""
    is_gone: Callable[[], bool]
    """Tells whether nobody listens any more."""


def list_and_watch(
    store: DirectStore, resource: ApiResource, scope: Scope, shape: type[Any], listener: Listener[Any]
) -> None:
    """Lists and watches until nobody listens; a cut begins anew with a list."""
    wait = _FIRST_WAIT
    while not listener.is_gone():
        try:
            found: list[Any] = []
            revision = ""
            for page in store.pages(resource, scope, shape):
                found, revision = ([] if page.is_first else found) + page.items, page.revision
            listener.start(found)
            wait = _FIRST_WAIT
            for changes in store.watch(resource, scope, Start(revision, quiet_limit=_QUIET_LIMIT), shape):
                for change in changes:
                    if change.object is not None:
                        listener.take(change.verb, change.object)
        except RetryError as error:
            if not (isinstance(error, UnreachableError) and error.timed_out):
                listener.worry(error)
                time.sleep(wait)
                wait = min(wait * 2, _LONGEST_WAIT)
