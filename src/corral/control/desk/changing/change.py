"""Changing one thing about an object that others change too: read, decide, and write only if it is still as it was read."""

from collections.abc import Callable
from typing import Final

from corral.control.desk.naming.finding import Found
from corral.control.desk.session import Session
from corral.kinds.objects import Object
from corral.ports.object_store import Patch
from corral.ports.refusals import ConflictError, NotFoundError

TRIES: Final = 5

Decision = Callable[[Object], Object | None]
"""Returns what a merge patch says about an object as it is now; None when it is as it should be. May raise."""


def change(session: Session, found: Found, decide: Decision) -> Object | None:
    """Carries out what is decided about the present state and returns the result; None when nothing had to change.

    Somebody who writes at the same time is no failure: their state is read, and decided about again.
    """
    obj = found.object
    for attempt in range(TRIES):
        body = decide(obj)
        if body is None:
            return None
        metadata = {**body.get("metadata", {}), "resourceVersion": obj["metadata"]["resourceVersion"]}
        try:
            return session.store.patch(found.resource, found.key, Patch("merge", {**body, "metadata": metadata}))
        except ConflictError:
            if attempt == TRIES - 1:
                raise
        obj = _again(session, found)
    raise AssertionError("unreachable: the last conflict is raised")


def _again(session: Session, found: Found) -> Object:
    obj = session.store.get(found.resource, found.key)
    if obj["metadata"].get("uid") != found.object["metadata"].get("uid"):
        raise NotFoundError(f"{found.shown} was deleted meanwhile, and another one has its name")
    return obj
