"""Who holds which cluster address and node port: what is stored, and what is reserved by writes under way.

Choosing and reserving is one step that nothing can come between, so no write waits for another one's disk.
"""

from collections.abc import Iterable
from typing import Generic, TypeVar

from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.service_addresses import InUse, allocate, held_by

_T = TypeVar("_T", str, int)


class Ledger:
    """The addresses and ports of all services, by the uids of those who hold them."""

    def __init__(self) -> None:
        self._addresses: _Pool[str] = _Pool()
        self._ports: _Pool[int] = _Pool()
        self._uids: dict[str, str] = {}

    def note(self, key: str, obj: Object | None) -> None:
        """Takes note of a service as it is stored now; None when it is gone."""
        was = self._uids.pop(key, None)
        if was is not None:
            self._hold(f"stored {was}", None)
        if obj is not None:
            uid = self._uids[key] = obj["metadata"]["uid"]
            self._hold(f"stored {uid}", obj)

    def allocate(self, new: Object, old: Object | None) -> list[FieldError]:
        """Gives a service its addresses and ports, changing `new`, and reserves them; returns why it cannot."""
        uid = new["metadata"].get("uid", "")
        own = (f"stored {uid}", f"reserved {uid}")
        errors = allocate(new, old, InUse(_Others(self._addresses, own), _Others(self._ports, own)))
        if not errors:
            self._hold(f"reserved {uid}", new)
        return errors

    def release(self, uid: str) -> None:
        """Forgets what was reserved: by now it is stored, or will not be."""
        self._hold(f"reserved {uid}", None)

    def _hold(self, holder: str, service: Object | None) -> None:
        held = held_by([service] if service else ())
        self._addresses.hold(holder, held.addresses)
        self._ports.hold(holder, held.ports)


class _Pool(Generic[_T]):
    """Values with their holders; more than one holds a value while it passes from a reservation to the store."""

    def __init__(self) -> None:
        self._holders: dict[_T, set[str]] = {}
        self._held: dict[str, frozenset[_T]] = {}

    def hold(self, holder: str, values: Iterable[_T]) -> None:
        """Lets a holder have these values and no others."""
        for value in self._held.pop(holder, ()):
            holders = self._holders[value]
            holders.discard(holder)
            if not holders:
                del self._holders[value]
        held = frozenset(values)
        if held:
            self._held[holder] = held
        for value in held:
            self._holders.setdefault(value, set()).add(holder)

    def is_held_by_others(self, value: object, own: tuple[str, ...]) -> bool:
        """Says whether anybody else holds a value."""
        return any(holder not in own for holder in self._holders.get(value, ()))  # type: ignore[call-overload]


class _Others:
    """The values that anybody but some holders has."""

    def __init__(self, pool: "_Pool[str] | _Pool[int]", own: tuple[str, ...]) -> None:
        self._pool: _Pool[str] | _Pool[int] = pool
        self._own = own

    def __contains__(self, value: object) -> bool:
        return self._pool.is_held_by_others(value, self._own)
