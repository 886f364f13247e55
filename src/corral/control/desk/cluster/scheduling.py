"""What a scheduler reads of an API, asked once for one question; what is not installed or may not be read is none."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from corral.control.desk.naming.finding import ignored
from corral.control.desk.session import Session
from corral.control.scheduling.scenes.runs import ended_runs
from corral.control.scheduling.scenes.snapshot import GROUP_KINDS, QUEUE_KINDS, GroupSaid, QueueSaid, Snapshot
from corral.control.scheduling.scenes.stripping import bare_node, bare_pod
from corral.kinds.queues.queue import QueueView
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.group_view import GroupView
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.kinds.well_known import NODE, POD
from corral.placement.estimates.gang_runs import GangRun
from corral.ports.object_store import EVERYTHING, Scope
from corral.ports.refusals import ForbiddenError, NotFoundError

_HELD, _ENDED = "status.phase!=Succeeded,status.phase!=Failed", "status.phase!=Running,status.phase!=Pending"
T = TypeVar("T")
Note = Callable[[str], None]


def nodes_of(session: Session) -> list[SchedulingNode]:
    """Returns all nodes. The rights do not reach so far: ForbiddenError."""
    return _listed(session, NODE, EVERYTHING, SchedulingNode)


def pods_that_hold(session: Session, namespace: str = "") -> list[SchedulingPod]:
    """Returns the pods that hold room on a node, or wait for it. The rights do not reach so far: ForbiddenError."""
    return _listed(session, POD, Scope(namespace, fields=_HELD), SchedulingPod)


def runs_of(session: Session, names: frozenset[str], *, on_note: Note = ignored) -> list[GangRun]:
    """Returns how long gangs of some schedulers ran that have ended and whose pods are still there."""
    try:
        return ended_runs(_listed(session, POD, Scope(fields=_ENDED), SchedulingPod), names)
    except ForbiddenError:
        on_note("left out, since you may not list the pods of other namespaces: how long jobs run")
        return []


def groups_of(session: Session, namespace: str = "", *, on_note: Note = ignored) -> list[GroupSaid]:
    """Returns what objects say about gangs."""
    found = []
    for kind, resource in GROUP_KINDS.items():
        for view in _installed(session, resource, namespace, GroupView, on_note):
            metadata = view.metadata
            said = GroupSaid(
                kind=kind, namespace=metadata.namespace, name=metadata.name, size=view.size, queue=view.queue
            )
            found.append(said)
    return found


def queues_of(session: Session, *, on_note: Note = ignored) -> list[QueueSaid]:
    """Returns the queues as they are described."""
    found = []
    for kind, resource in QUEUE_KINDS.items():
        views = _installed(session, resource, "", QueueView, on_note)
        found += [QueueSaid(kind=kind, name=one.metadata.name, spec=_spec(one)) for one in views]
    return found


def snapshot_of(session: Session, names: frozenset[str], now: float, *, on_note: Note = ignored) -> Snapshot:
    """Returns a cluster as those read it who bind the pods of some schedulers, without anything that they do not read."""
    nodes, pods = nodes_of(session), pods_that_hold(session)
    return Snapshot(
        taken=round(now, 3),
        schedulers=tuple(sorted(names)),
        nodes=tuple(sorted(map(bare_node, nodes), key=lambda one: one.metadata.name)),
        pods=tuple(sorted(map(bare_pod, pods), key=lambda one: (one.metadata.namespace, one.metadata.name))),
        groups=tuple(sorted(groups_of(session, on_note=on_note), key=lambda one: (one.kind, one.namespace, one.name))),
        queues=tuple(sorted(queues_of(session, on_note=on_note), key=lambda one: (one.kind, one.name))),
        runs=tuple(runs_of(session, names, on_note=on_note)),
    )


def _spec(view: QueueView) -> dict[str, Any]:
    return view.spec if isinstance(view.spec, dict) else {}


def _installed(session: Session, resource: ApiResource, namespace: str, shape: type[T], on_note: Note) -> Iterable[T]:
    try:
        return _listed(session, resource, Scope(namespace), shape)
    except NotFoundError:
        return ()
    except ForbiddenError:
        what = "what queues may have" if shape is QueueView else "how many pods must start together"
        on_note(f"left out, since you may not list {resource.plural}: {what}")
        return ()


def _listed(session: Session, resource: ApiResource, scope: Scope, shape: type[T]) -> list[T]:
    found: list[T] = []
    for page in session.store.pages(resource, scope, shape):
        found = ([] if page.is_first else found) + page.items
    return found
