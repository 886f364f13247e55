"""How controllers find the children of an owner quickly, and which names are fresh."""

from collections import deque
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from corral.control.controller import KeysOf
from corral.control.leadership import LeadershipLostError
from corral.control.mirror import Delta
from corral.control.object_cache import ObjectCache
from corral.control.plan_executor import PlanExecutor
from corral.errors import CorralError
from corral.kinds.objects import Object, controller_of, is_deleting, key_of, labels_of, uid_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.object_store import ObjectReader
from corral.ports.refusals import ConflictError, NotFoundError
from corral.reconcile.builtin.label_selectors import matches
from corral.reconcile.plan import Create, EmitEvent, Plan

_MANAGER, _FREE = "manager", "free in namespace"
_REMEMBERED = 10_000


def index_children(cache: ObjectCache[Object]) -> None:
    """Lets children be found by the uid of the owner that manages them, and the unmanaged ones by namespace."""
    cache.add_indexes({_MANAGER: _manager_of, _FREE: _free_in})


def _manager_of(child: Object) -> Iterable[str]:
    controller = controller_of(child)
    return (controller["uid"],) if controller is not None else ()


def _free_in(child: Object) -> Iterable[str]:
    return () if controller_of(child) is not None else (child["metadata"].get("namespace", ""),)


def managed_by(cache: ObjectCache[Object], uid: str) -> list[Object]:
    """Returns the children that an owner manages."""
    return cache.by_index(_MANAGER, uid)


def candidates(cache: ObjectCache[Object], owner: Object) -> list[Object]:
    """Returns the children that an owner manages, and those of its namespace that nobody does."""
    return managed_by(cache, uid_of(owner)) + cache.by_index(_FREE, owner["metadata"]["namespace"])


def free_child_keys(owners: ObjectCache[Object]) -> KeysOf:
    """Returns a mapping of unmanaged children to the owners that might adopt them."""

    def keys(child: Object) -> Iterable[ObjectKey]:
        if controller_of(child) is not None:
            return ()
        found = owners.objects(child["metadata"].get("namespace", ""))
        return [key_of(one) for one in found if matches(one["spec"].get("selector"), labels_of(child))]

    return keys


def either(*mappings: KeysOf) -> KeysOf:
    """Returns a mapping to the keys of all mappings."""
    return lambda obj: [key for mapping in mappings for key in mapping(obj)]


class UsedNames:
    """Names of children that were deleted lately: a new child gets another one, so that people can tell them apart."""

    def __init__(self) -> None:
        self._order: deque[ObjectKey] = deque()
        self._names: dict[str, set[str]] = {}

    def take(self, deltas: Sequence[Delta[Object]]) -> None:
        """Notes what went; a subscriber of a cache."""
        for delta in deltas:
            if delta.new is None:
                self._order.append(delta.key)
                self._names.setdefault(delta.key.namespace, set()).add(delta.key.name)
        while len(self._order) > _REMEMBERED:
            oldest = self._order.popleft()
            self._names[oldest.namespace].discard(oldest.name)
            if not self._names[oldest.namespace]:
                del self._names[oldest.namespace]

    def of(self, namespace: str) -> AbstractSet[str]:
        """Returns the names used in a namespace."""
        return self._names.get(namespace, frozenset())


async def confirm_owner(store: ObjectReader, resource: ApiResource, owner: Object) -> None:
    """Makes sure that an owner may adopt: the server still has it under this uid, and nobody has deleted it."""
    try:
        found = await store.get(resource, key_of(owner))
    except NotFoundError as error:
        raise ConflictError(error.message, what=error.what, status=error.status) from error
    if uid_of(found) != uid_of(owner) or is_deleting(found):
        raise ConflictError(f"{resource.qualified} {key_of(owner)} is going, so it adopts nothing")


async def attempt(
    executor: PlanExecutor, key: ObjectKey, about: tuple[ApiResource, Object], plan: Plan
) -> CorralError | None:
    """Makes or deletes pods; returns why some could not be, after telling it in an event of the owner."""
    try:
        await executor.run(key, plan)
    except LeadershipLostError:
        raise
    except CorralError as error:
        verb = ("Create", "creating") if any(isinstance(action, Create) for action in plan) else ("Delete", "deleting")
        told = EmitEvent(*about, f"Failed{verb[0]}", f"Error {verb[1]}: {error.message}", "Warning")
        await executor.run(key, Plan.of(told))
        return error
    return None
