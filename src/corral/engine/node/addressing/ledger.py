"""Who has which loopback port: recorded on the Services themselves, so that everybody can read it and nothing is kept twice.

The annotation holds JSON such as {"5000": 21034}. It is written by compare-and-swap: whoever comes second reads what the
first has written. What a person wrote there counts as well, which is how a port is pinned; what makes no sense is replaced.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

import msgspec

from corral.engine.node.addressing.loopback import ServicePort
from corral.engine.node.addressing.ports import PortRange, choose, is_unused, start_of, usable_range
from corral.engine.node.addressing.translation import offers
from corral.kinds.nodes import LOOPBACK_PORTS
from corral.kinds.objects import Object, identity_of, key_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import SERVICE
from corral.ports.object_store import ObjectStore, Patch, Scope
from corral.ports.refusals import ConflictError, NotFoundError

RENEWED = "LoopbackPortRenewed"
"""The reason of the event about a port that had to be given up."""

_AT_ONCE = 8
_TRIES = 10
_FEW_NAMESPACES = 4


class Services(Protocol):
    """The Services as a cache knows them."""

    def get(self, key: ObjectKey) -> Object | None:
        """Returns a Service as last heard, or None."""

    def objects(self) -> list[Object]:
        """Returns all of them."""

    def has_seen(self, version: str) -> bool:
        """Whether a write that got this version is contained."""


class Allotment(NamedTuple):
    """What was asked for, as far as there are such Services."""

    ports: dict[ServicePort, int]
    missing: frozenset[ServicePort]
    """No such Service, or it does not have this port."""


class Renewal(NamedTuple):
    """A port that was given up for another."""

    of: ServicePort
    old: int
    new: int

    @property
    def sentence(self) -> str:
        """Returns what to tell about it."""
        if self.old == self.new:
            return f"{self.of} keeps the loopback port {self.new}"
        return (
            f"the loopback port {self.old} of {self.of} is used by another program of this machine, so it is {self.new} now; "
            "processes that were started before still look for it at the old one"
        )


def recorded(service: Object) -> dict[int, int]:
    """Returns the loopback ports that stand on a Service, by port; what makes no sense is left out."""
    written = (service["metadata"].get("annotations") or {}).get(LOOPBACK_PORTS)
    if not written:
        return {}
    try:
        entries = msgspec.json.decode(written)
    except msgspec.DecodeError:
        return {}
    if not isinstance(entries, dict):
        return {}
    return {int(port): value for port, value in entries.items() if _is_port(port) and _is_number(value)}


def taken(services: Iterable[Object]) -> frozenset[int]:
    """Returns every loopback port that stands on some Service."""
    return frozenset(port for service in services for port in recorded(service).values())


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 5 and _is_number(int(text))


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 < value < 65536


class _Written(NamedTuple):
    """What this process has written and its cache may not show yet."""

    version: str
    ports: dict[int, int]


class PortLedger:
    """Allots loopback ports; one for each process, since it knows what is being written at this moment."""

    def __init__(
        self,
        store: ObjectStore,
        services: Services,
        *,
        ports: PortRange | None = None,
        is_free: Callable[[int], bool] = is_unused,
    ) -> None:
        self._store = store
        self._services = services
        self._range = ports or usable_range()
        self._is_free = is_free
        self._written: dict[ObjectKey, _Written] = {}
        self._promised: set[int] = set()
        self._locks: WeakValueDictionary[ObjectKey, asyncio.Lock] = WeakValueDictionary()
        """One for each Service that is being written; whoever waits for it keeps it."""
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def allot(self, wanted: Iterable[ServicePort]) -> Allotment:
        """Returns the loopback port of everything wanted, and records those that are new.

        Called twice it returns the same. A Service that is gone, or has no such port, is told as missing.
        """
        groups: dict[ObjectKey, set[int]] = {}
        for namespace, service, port in wanted:
            groups.setdefault(ObjectKey(namespace, service), set()).add(port)
        known = {key: self._services.get(key) for key in groups}
        known |= await self._looked_up([key for key, service in known.items() if service is None])
        found = await asyncio.gather(*(self._of_service(key, groups[key], service) for key, service in known.items()))
        ports = {ServicePort(*key, port): number for key, entries in found for port, number in entries.items()}
        asked = {ServicePort(*key, port) for key, numbers in groups.items() for port in numbers}
        return Allotment(ports, frozenset(asked - ports.keys()))

    async def renew(self, of: ServicePort, old: int) -> Renewal | None:
        """Gives up a port that another program has; None when there is no such Service any more.

        When somebody else has renewed it meanwhile, theirs is returned.
        """
        key = ObjectKey(of.namespace, of.service)
        async with self._places, self._lock(key):
            entries = await self._record(key, {of.port}, None, given_up=old)
        return None if of.port not in entries else Renewal(of, old, entries[of.port])

    def recorded(self, service: Object) -> dict[int, int]:
        """Returns the loopback ports of a Service, also those that its cached copy does not show yet."""
        written = self._fresh(key_of(service))
        return recorded(service) if written is None else written.ports

    async def _looked_up(self, absent: list[ObjectKey]) -> dict[ObjectKey, Object]:
        """Returns those that are there after all: a cache may be behind, and a pod would start with a wrong address."""
        wanted = set(absent)
        namespaces = {key.namespace for key in wanted}
        scopes = [Scope(one) for one in namespaces] if len(namespaces) <= _FEW_NAMESPACES else [Scope()]
        lists = await asyncio.gather(*(self._store.list(SERVICE, scope) for scope in scopes))
        return {key_of(one): one for services in lists for one in services if key_of(one) in wanted}

    async def _of_service(
        self, key: ObjectKey, wanted: set[int], service: Object | None
    ) -> tuple[ObjectKey, dict[int, int]]:
        if service is None:
            return key, {}
        offered = {port for port in wanted if offers(service, port)}
        entries = self.recorded(service)
        if not offered <= entries.keys():
            async with self._places, self._lock(key):
                entries = await self._record(key, offered, service)
        return key, {port: entries[port] for port in offered & entries.keys()}

    async def _record(
        self, key: ObjectKey, wanted: set[int], service: Object | None, given_up: int = 0
    ) -> dict[int, int]:
        """Writes what is missing and returns what stands there afterwards; nothing when the Service is gone."""
        for attempt in range(_TRIES):
            try:
                # Whoever waited here for another writer must not go on with what it saw before.
                is_behind = attempt > 0 or self._fresh(key) is not None
                held = None if is_behind else self._services.get(key) or service
                held = held or await self._store.get(SERVICE, key)
                entries = {port: number for port, number in recorded(held).items() if number != given_up}
                if wanted <= entries.keys():
                    return entries
                return await self._write(held, entries, wanted, given_up)
            except NotFoundError:
                return {}
            except ConflictError:
                if attempt == _TRIES - 1:
                    raise
        return {}

    async def _write(self, service: Object, entries: dict[int, int], wanted: set[int], given_up: int) -> dict[int, int]:
        identity = identity_of(service)
        with self._promise(identity.key, wanted - entries.keys(), given_up) as chosen:
            entries = dict(sorted({**entries, **chosen}.items()))
            text = msgspec.json.encode({str(port): number for port, number in entries.items()}).decode()
            metadata = {"resourceVersion": identity.version, "annotations": {LOOPBACK_PORTS: text}}
            patch = Patch("merge", {"metadata": metadata})
            stored = await self._store.patch(SERVICE, identity.key, patch)
            self._written[identity.key] = _Written(identity_of(stored).version, recorded(stored))
        return entries

    @contextmanager
    def _promise(self, key: ObjectKey, wanted: Iterable[int], given_up: int) -> Iterator[Mapping[int, int]]:
        """Chooses ports that nobody else in this process gets until they are written, or the write has failed."""
        chosen: dict[int, int] = {}
        try:
            for port in sorted(wanted):
                start = start_of(ServicePort(*key, port), self._range)
                chosen[port] = choose(self._range, start, self._taken() | {given_up}, self._is_free)
                self._promised.add(chosen[port])
            yield chosen
        finally:
            self._promised -= set(chosen.values())

    def _taken(self) -> frozenset[int]:
        fresh = [self._fresh(key) for key in list(self._written)]
        written = (port for one in fresh if one is not None for port in one.ports.values())
        return taken(self._services.objects()) | frozenset(written) | self._promised

    def _fresh(self, key: ObjectKey) -> _Written | None:
        """Returns what was written and is not in the cache yet; what is there is forgotten here."""
        written = self._written.get(key)
        if written is not None and self._services.has_seen(written.version):
            del self._written[key]
            return None
        return written

    def _lock(self, key: ObjectKey) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())
