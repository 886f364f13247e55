"""The owner graph: every object of every kind, linked by uid, and which of them a change gives reason to look at.

The graph only raises questions; answers come from live reads. So it may be incomplete (a kind not listed yet, an owner
not seen yet) without danger: an object whose owner is not in the graph is looked at, not deleted.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from corral.kinds.references import ApiResource, ObjectKey, split_api_version

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"

_REMEMBERED = 10_000


class Owner(NamedTuple):
    """One owner reference."""

    api_version: str
    kind: str
    name: str
    uid: str
    blocks: bool = False
    """Whether this dependent holds up a foreground deletion of the owner."""


class Node(NamedTuple):
    """What matters about one object."""

    resource: ApiResource
    key: ObjectKey
    uid: str
    owners: tuple[Owner, ...] = ()
    deleting: bool = False
    finalizers: tuple[str, ...] = ()

    @property
    def waits_for_dependents(self) -> bool:
        """Whether it is being deleted in the foreground: after its dependents."""
        return self.deleting and FOREGROUND in self.finalizers

    @property
    def orphans_dependents(self) -> bool:
        """Whether it is being deleted and its dependents shall live on."""
        return self.deleting and ORPHAN in self.finalizers

    def blocks(self, owner: str) -> bool:
        """Whether it holds up the foreground deletion of an owner."""
        return any(reference.uid == owner and reference.blocks for reference in self.owners)


class Misplaced(NamedTuple):
    """A reference to an owner that lives in another namespace, where it cannot count."""

    dependent: Node
    owner: Owner


class Consequences(NamedTuple):
    """What a change gives reason for: uids to look at, references to complain about."""

    look_at: tuple[str, ...] = ()
    misplaced: tuple[Misplaced, ...] = ()


NO_CONSEQUENCES = Consequences()


class Graph:
    """All objects by uid; owners are linked to dependents whether or not they have been seen themselves."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self._dependents: dict[str, dict[str, None]] = {}
        self._gone: OrderedDict[str, None] = OrderedDict()

    def dependents(self, uid: str) -> list[Node]:
        """Returns the objects that name this uid as an owner."""
        return [self.nodes[one] for one in self._dependents.get(uid, ()) if one in self.nodes]

    def was_seen_deleted(self, uid: str) -> bool:
        """Whether a watch or a complete list has told that the object with this uid is gone."""
        return uid in self._gone

    def is_settled(self, node: Node) -> bool:
        """Whether all owners are known, alive and where the references say, so that there is nothing to ask."""
        for reference in node.owners:
            owner = self.nodes.get(reference.uid)
            if owner is None or owner.waits_for_dependents or not is_same(reference, owner, node):
                return False
        return True

    def put(self, node: Node) -> Consequences:
        """Takes a new state of an object."""
        old = self.nodes.get(node.uid)
        self.nodes[node.uid] = node
        look: dict[str, None] = {}
        self._relink(node, old, look)
        if node.waits_for_dependents and not (old and old.waits_for_dependents):
            look[node.uid] = None
            look.update(self._dependents.get(node.uid, {}))
        if node.orphans_dependents and not (old and old.orphans_dependents):
            look[node.uid] = None
        misplaced = list(self._misplaced(node, old))
        look.update((wrong.dependent.uid, None) for wrong in misplaced)
        return Consequences(tuple(look), tuple(misplaced))

    def remove(self, uid: str) -> Consequences:
        """Takes the news that an object is gone: its dependents may be garbage, its owners may wait no longer."""
        node = self.nodes.pop(uid, None)
        look: dict[str, None] = dict(self._dependents.get(uid, {}))
        if look:
            self._gone[uid] = None
            if len(self._gone) > _REMEMBERED:
                self._gone.popitem(last=False)
        if node is not None:
            for owner in node.owners:
                self._unlink(owner.uid, uid)
                self._ask_waiting(owner.uid, look)
        return Consequences(tuple(look))

    def forget(self, resource: ApiResource) -> Consequences:
        """Forgets all objects of a kind without taking them for deleted; their dependents are looked at."""
        look: dict[str, None] = {}
        for node in [node for node in self.nodes.values() if node.resource == resource]:
            del self.nodes[node.uid]
            look.update(self._dependents.get(node.uid, {}))
            for owner in node.owners:
                self._unlink(owner.uid, node.uid)
        return Consequences(tuple(look))

    def of(self, resource: ApiResource) -> list[str]:
        """Returns the uids of all objects of a kind."""
        return [node.uid for node in self.nodes.values() if node.resource == resource]

    def _relink(self, node: Node, old: Node | None, look: dict[str, None]) -> None:
        before = {owner.uid: owner for owner in (old.owners if old else ())}
        for owner in node.owners:
            known = before.pop(owner.uid, None)
            if known is None:
                self._dependents.setdefault(owner.uid, {})[node.uid] = None
                holder = self.nodes.get(owner.uid)
                if holder is None or holder.waits_for_dependents or not is_same(owner, holder, node):
                    look[node.uid] = None
            elif known.blocks and not owner.blocks:
                self._ask_waiting(owner.uid, look)
        for owner in before.values():
            self._unlink(owner.uid, node.uid)
            self._ask_waiting(owner.uid, look)

    def _ask_waiting(self, uid: str, look: dict[str, None]) -> None:
        holder = self.nodes.get(uid)
        if holder is not None and holder.waits_for_dependents:
            look[uid] = None

    def _unlink(self, owner: str, dependent: str) -> None:
        linked = self._dependents.get(owner)
        if linked is not None:
            linked.pop(dependent, None)
            if not linked:
                del self._dependents[owner]

    def _misplaced(self, node: Node, old: Node | None) -> Iterator[Misplaced]:
        if old is None:
            for dependent in self.dependents(node.uid):
                yield from _wrong_namespaces(dependent, (node,))
        if old is None or old.owners != node.owners:
            yield from _wrong_namespaces(node, (self.nodes[o.uid] for o in node.owners if o.uid in self.nodes))


def _wrong_namespaces(dependent: Node, owners: Iterable[Node]) -> Iterator[Misplaced]:
    for owner in owners:
        if owner.resource.namespaced and owner.key.namespace != dependent.key.namespace:
            reference = next(one for one in dependent.owners if one.uid == owner.uid)
            yield Misplaced(dependent, reference)


def is_same(reference: Owner, owner: Node, dependent: Node) -> bool:
    """Whether a reference points to where the owner with that uid really is; versions of one group are equal."""
    group, _ = split_api_version(reference.api_version)
    is_near = not owner.resource.namespaced or owner.key.namespace == dependent.key.namespace
    named = (group, reference.kind, reference.name)
    return is_near and named == (owner.resource.group, owner.resource.kind, owner.key.name)
