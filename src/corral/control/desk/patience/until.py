"""Waiting until something is so: one way for everything, with the same patience for a server that is away."""

import time
from collections.abc import Callable
from contextlib import closing
from math import inf
from typing import Any, NamedTuple, TypeVar

from corral.control.desk.patience.absence import Absence
from corral.control.desk.patience.list_watch import LIST, Subject, hearing
from corral.control.desk.patience.remarks import Patience
from corral.errors import CorralError

T = TypeVar("T")
R = TypeVar("R")


class Waiting(NamedTuple):
    """How long somebody waits, and what is said meanwhile and when it was too long."""

    timeout: float | None
    """Seconds; None is for ever."""
    on_wait: Callable[[str], None]
    """Is told every ten seconds what is awaited."""
    awaited: Callable[[bool], str]
    """Returns what is awaited, in words; given is whether the server answers, so that it can be asked for more."""
    too_late: Callable[[], CorralError]
    """Returns the error with which the waiting ends when the time is over."""


def until(subject: Subject[T], seen: Callable[[list[T]], R | None], waiting: Waiting) -> R:
    """Returns what `seen` makes of everything that is there, as soon as it makes something of it; too late is an error."""
    absence, patience = Absence(), Patience(waiting.on_wait)
    deadline = inf if waiting.timeout is None else time.monotonic() + waiting.timeout
    there: dict[str, T] = {}
    with closing(hearing(subject, absence, lambda: min(patience.wake, deadline) - time.monotonic())) as everything:
        for heard in everything:
            named = {_uid(one): one for one in heard.objects}
            if heard.verb == LIST:
                there = named
            elif heard.verb == "DELETED":
                there = {uid: one for uid, one in there.items() if uid not in named}
            else:
                there.update(named)
            if heard.verb and (result := seen(list(there.values()))) is not None:
                return result
            if time.monotonic() >= deadline:
                raise waiting.too_late()
            if patience.is_due:
                away = "; the API server does not answer" if absence.is_on else ""
                patience.remark(f"{waiting.awaited(not absence.is_on)}{away}")
    raise AssertionError("unreachable: what is there is told for ever")


def _uid(obj: Any) -> str:
    metadata = obj["metadata"] if isinstance(obj, dict) else obj.metadata
    return str(metadata["uid"] if isinstance(metadata, dict) else metadata.uid)
