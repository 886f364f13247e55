"""A queue in one line: what it has of what it may have, and who waits; those below another one follow it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from corral.control.desk.session import Session
from corral.errors import PermanentError
from corral.kinds.objects import Metadata
from corral.kinds.queues.queue import QUEUE, QueueView
from corral.ports.object_store import Scope
from corral.ports.refusals import NotFoundError

Quantities = Mapping[str, Any]


class QueueLine(NamedTuple):
    """One queue."""

    name: str
    parent: str
    weight: int
    guarantee: Quantities
    limit: Quantities
    used: Quantities | None
    """What it has; None while no scheduler has told."""
    wanted: Quantities
    running: int | None
    waiting: int | None
    state: str
    """Served, or the reason why its terms are not followed; "" while no scheduler has told."""
    message: str

    def document(self) -> dict[str, Any]:
        """Returns it as data."""
        return {
            "name": self.name,
            "parent": self.parent,
            "weight": self.weight,
            "guarantee": dict(self.guarantee),
            "limit": dict(self.limit),
            "used": None if self.used is None else dict(self.used),
            "wanted": dict(self.wanted),
            "running": self.running,
            "waiting": self.waiting,
            "state": self.state,
            "message": self.message,
        }


def queues_in(session: Session) -> list[QueueView]:
    """Returns the queues."""
    found: list[QueueView] = []
    try:
        for page in session.store.pages(QUEUE, Scope(), QueueView):
            found = ([] if page.is_first else found) + page.items
    except NotFoundError as error:
        message = f"this API server does not know {QUEUE.kind} in {QUEUE.api_version}"
        raise PermanentError(
            "unknown-kind", message, hint="`corral install` puts its definition on a cluster"
        ) from error
    return found


def queue_lines(queues: Iterable[QueueView]) -> list[QueueLine]:
    """Returns a line for each queue: by name, and each behind the queue that it is a part of."""
    views = {one.metadata.name: one for one in sorted(queues, key=lambda one: one.metadata.name)}
    below: dict[str, list[str]] = {}
    for name, view in views.items():
        parent = _parent(view)
        below.setdefault(parent if parent in views else "", []).append(name)
    found = list(_walk(below, views))
    there = {one.name for one in found}
    # What is part of itself hangs below nothing.
    return [*found, *(_line(view) for name, view in views.items() if name not in there)]


def _walk(below: Mapping[str, list[str]], views: Mapping[str, QueueView]) -> Iterator[QueueLine]:
    coming = below.get("", [])[::-1]
    while coming:
        name = coming.pop()
        yield _line(views[name])
        coming.extend(reversed(below.get(name, [])))


def _parent(view: QueueView) -> str:
    return str(_mapping(view.spec).get("parent") or "")


def _line(view: QueueView) -> QueueLine:
    metadata: Metadata = view.metadata
    spec, status = _mapping(view.spec), _mapping(view.status)
    ready: Mapping[str, Any] = next((one for one in status.get("conditions") or () if one.get("type") == "Ready"), {})
    return QueueLine(
        metadata.name,
        _parent(view),
        int(spec.get("weight") or 1),
        _mapping(spec.get("guarantee")),
        _mapping(spec.get("limit")),
        _mapping(status.get("used")) if status else None,
        _mapping(status.get("wanted")),
        status.get("running"),
        status.get("waiting"),
        str(ready.get("reason", "")),
        str(ready.get("message", "")),
    )


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}
