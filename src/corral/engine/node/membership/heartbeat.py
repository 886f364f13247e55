"""The heartbeat: a Lease that is renewed every ten seconds, and the Node's status when something about it changed.

The names and times are those of kubelet, so that a cluster's own controllers notice when this machine is gone. A failed
beat is told and tried again with the next; what runs here does not depend on it.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from corral.engine.node.membership.node_object import PROCESSES_ONLY, Machine, labels_of, status_of
from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import LEASE, NAMESPACE, NODE
from corral.ports.clock import Clock
from corral.ports.object_store import ObjectStore, Patch, WriteOptions
from corral.ports.refusals import AlreadyExistsError, NotFoundError
from corral.reconcile.moments import micro_stamp_of

LEASES = "kube-node-lease"
BEAT_SECONDS = 10.0
LEASE_SECONDS = 40
STATUS_EVERY = 300.0
"""The status is written at least so often, changed or not."""

Pressures = Callable[[], Mapping[str, str]]

_log = logging.getLogger("corral.engine.node.membership")


class Door(NamedTuple):
    """Where the node answers, and what the Node tells about that."""

    port: int
    annotations: Mapping[str, str]


class Membership:
    """Registers the node and keeps it alive in the eyes of the cluster."""

    def __init__(
        self,
        store: ObjectStore,
        clock: Clock,
        name: str,
        machine: Machine,
        *,
        door: Door,
        pressures: Pressures,
        is_tainted: bool = False,
    ) -> None:
        self._store = store
        self._clock = clock
        self._name = name
        self._machine = machine
        self._door = door
        self._pressures = pressures
        self._is_tainted = is_tainted
        self._told: tuple[Mapping[str, str], float] | None = None

    async def register(self) -> None:
        """Makes the Node, or takes over the one of this name; written twice, nothing changes.

        A taint comes with the Node as it is made, and like kubelet's never again: whoever takes it away means it.
        """
        marks = {"labels": labels_of(self._name, self._machine), "annotations": dict(self._door.annotations)}
        with suppress(AlreadyExistsError):
            spec = {"spec": {"taints": [PROCESSES_ONLY]}} if self._is_tainted else {}
            await self._store.create(NODE, {"metadata": {"name": self._name, **marks}, **spec})
        await self._store.patch(NODE, self._key, Patch("merge", {"metadata": marks}))
        await self._tell()
        await self._renew()

    async def run(self) -> None:
        """Beats until cancelled."""
        while True:
            await self._clock.sleep(BEAT_SECONDS)
            try:
                await self._beat()
            except (CorralError, OSError) as error:
                _log.warning("heartbeat failed", extra={"node": self._name, "why": str(error)})

    async def _beat(self) -> None:
        try:
            await self._renew()
            told = self._told
            if told is None or told[0] != self._pressures() or self._clock.monotonic() - told[1] >= STATUS_EVERY:
                await self._tell()
        except NotFoundError:
            # Somebody has deleted the node; it is here all the same.
            await self.register()

    async def _tell(self) -> None:
        before = await self._store.get(NODE, self._key)
        pressures = self._pressures()
        status = status_of(self._machine, self._door.port, pressures, before.get("status") or {}, self._clock.now())
        await self._store.patch(NODE, self._key, Patch("merge", {"status": status}), subresource="status")
        self._told = (pressures, self._clock.monotonic())

    async def _renew(self) -> None:
        lease = self._lease()
        try:
            await self._store.patch(LEASE, ObjectKey(LEASES, self._name), Patch("merge", lease))
        except NotFoundError:
            await self._make_lease({**lease, "metadata": {"name": self._name, "namespace": LEASES}})

    async def _make_lease(self, lease: Object) -> None:
        """Makes the lease; every cluster has the namespace of leases, so it is made only where it is missing."""
        try:
            await self._store.create(LEASE, lease, WriteOptions(deterministic=True))
        except NotFoundError:
            with suppress(AlreadyExistsError):
                await self._store.create(NAMESPACE, {"metadata": {"name": LEASES}})
            await self._store.create(LEASE, lease, WriteOptions(deterministic=True))
        except AlreadyExistsError:
            return

    def _lease(self) -> Object:
        spec = {
            "holderIdentity": self._name,
            "leaseDurationSeconds": LEASE_SECONDS,
            "renewTime": micro_stamp_of(self._clock.now()),
        }
        return {"spec": spec}

    @property
    def _key(self) -> ObjectKey:
        return ObjectKey("", self._name)
