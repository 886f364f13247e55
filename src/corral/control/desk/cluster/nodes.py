"""Nodes as tables and reasons see them: what they have, who may come, whether they are well."""

from collections.abc import Callable
from typing import Any

import msgspec

from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.naming.finding import ignored
from corral.control.desk.session import Session
from corral.kinds.objects import Metadata
from corral.kinds.well_known import NODE, POD
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError


class Taint(msgspec.Struct, kw_only=True):
    """What keeps pods away from a node."""

    key: str = ""
    value: str = ""
    effect: str = ""


class NodeCondition(msgspec.Struct, kw_only=True):
    """One condition of a node."""

    type: str = ""
    status: str = ""


class NodeSpec(msgspec.Struct, kw_only=True):
    """Who may come."""

    unschedulable: bool = False
    taints: list[Taint] = []


class NodeAddress(msgspec.Struct, kw_only=True):
    """Where a node is."""

    type: str = ""
    address: str = ""


class NodeStatus(msgspec.Struct, kw_only=True):
    """What there is."""

    capacity: dict[str, Any] = {}
    allocatable: dict[str, Any] = {}
    conditions: list[NodeCondition] = []
    addresses: list[NodeAddress] = []


class NodeView(msgspec.Struct, kw_only=True):
    """A node."""

    metadata: Metadata
    spec: NodeSpec = msgspec.field(default_factory=NodeSpec)
    status: NodeStatus = msgspec.field(default_factory=NodeStatus)

    @property
    def name(self) -> str:
        """Returns the name."""
        return self.metadata.name

    @property
    def is_ready(self) -> bool:
        """Whether it says that it is well."""
        return any(one.type == "Ready" and one.status == "True" for one in self.status.conditions)


def nodes_in(session: Session) -> list[NodeView]:
    """Returns the nodes, trimmed."""
    found: list[NodeView] = []
    for page in session.store.pages(NODE, Scope(), NodeView):
        found = ([] if page.is_first else found) + page.items
    return found


def pods_on_nodes(session: Session, *, on_note: Callable[[str], None] = ignored) -> list[JobPod] | None:
    """Returns the pods of all namespaces that may take room on a node; None, and a note, when we may not read them."""
    found: list[JobPod] = []
    scope = Scope(fields="spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed")
    try:
        for page in session.store.pages(POD, scope, JobPod):
            found = ([] if page.is_first else found) + page.items
    except ForbiddenError:
        on_note("left out, since you may not list the pods of other namespaces: what is free on nodes")
        return None
    return found
