"""Registering fake nodes and showing that they are alive, cheaply: a few leases at a time, each once in a long while."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence

from corral.control.backoff import Backoff
from corral.control.runtime import Runtime
from corral.engine.fake_nodes.addresses import Addresses
from corral.engine.fake_nodes.fleet import FakeNode
from corral.engine.fake_nodes.node_words import is_as_told, labels_for, lease_object, node_object
from corral.errors import CorralError, RetryError
from corral.kinds.nodes import FAKE_NODE, is_fake_node
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import LEASE, NODE
from corral.ports.object_store import Patch, Scope, WriteOptions
from corral.ports.refusals import AlreadyExistsError, NotFoundError
from corral.reconcile.moments import micro_stamp_of

_log = logging.getLogger("corral.engine.fake_nodes.membership")

LEASES = "kube-node-lease"
SHORTEST_PERIOD = 120.0
MOST_BEATS_PER_SECOND = 2.0
"""A lease is renewed once in a period, which is longer for more nodes: so many renewals a second and no more."""
_BATCHES = 12
_AT_ONCE = 16
_BACKOFF = Backoff(0.1, 4.0)

Work = Callable[[FakeNode], Awaitable[None]]


def period_for(nodes: int) -> float:
    """Returns how often each of so many nodes renews its lease, in seconds."""
    return max(SHORTEST_PERIOD, nodes / MOST_BEATS_PER_SECOND)


class Membership:
    """Keeps the Node and the Lease of each fake node there."""

    def __init__(self, runtime: Runtime, fleet: Sequence[FakeNode], addresses: Addresses) -> None:
        self._store = runtime.store
        self._clock = runtime.clock
        self._randomness = runtime.randomness
        self._fleet = fleet
        self._addresses = addresses
        self._nodes: dict[str, Object] = {}
        self._period = period_for(len(fleet))

    async def register(self) -> None:
        """Makes every node there, as it should be; returns when all are."""
        failures = 0
        while True:
            try:
                labelled = await self._store.list(NODE, Scope(labels=f"{FAKE_NODE}=true"))
                self._nodes = {found["metadata"]["name"]: found for found in labelled}
                await self._for_each(self._fleet, self._ensure)
                break
            except RetryError as error:
                failures += 1
                _log.info("waiting for the API", extra={"reason": error.message})
                await self._clock.sleep(_BACKOFF.wait(failures, self._randomness.fraction()))
        _log.info("fake nodes registered", extra={"nodes": len(self._fleet)})

    async def beat(self) -> None:
        """Renews the leases until cancelled, a batch at a time."""
        size = -(-len(self._fleet) // _BATCHES)
        batches = [self._fleet[first : first + size] for first in range(0, len(self._fleet), size)]
        pause = self._period / len(batches)
        while True:
            for batch in batches:
                await self._clock.sleep(pause * (0.9 + 0.2 * self._randomness.fraction()))
                try:
                    await self._for_each(batch, self._renew)
                except CorralError as error:
                    _log.info("lease not renewed", extra={"reason": error.message})

    async def _ensure(self, node: FakeNode) -> None:
        found = self._nodes.get(node.name)
        if found is None:
            found = await self._created(node)
        if found is None:
            return
        if not is_as_told(found, node):
            found = await self._corrected(node)
        self._nodes[node.name] = found
        await self._renew(node)

    async def _created(self, node: FakeNode) -> Object | None:
        try:
            return await self._store.create(NODE, self._wanted(node), WriteOptions(deterministic=True))
        except AlreadyExistsError:
            found = await self._store.get(NODE, ObjectKey("", node.name))
            if is_fake_node(found):
                return found
            _log.warning("a node of this name is not fake; left alone", extra={"node": node.name})
            return None

    async def _corrected(self, node: FakeNode) -> Object:
        key = ObjectKey("", node.name)
        await self._store.patch(NODE, key, Patch("merge", {"metadata": {"labels": labels_for(node)}}))
        status = Patch("merge", {"status": self._wanted(node)["status"]})
        return await self._store.patch(NODE, key, status, subresource="status")

    def _wanted(self, node: FakeNode) -> Object:
        return node_object(node, self._addresses.of_node(node.number), self._clock.now())

    async def _renew(self, node: FakeNode) -> None:
        if node.name not in self._nodes:
            return
        now = self._clock.now()
        renewal = Patch("merge", {"spec": {"renewTime": micro_stamp_of(now)}})
        try:
            await self._store.patch(LEASE, ObjectKey(LEASES, node.name), renewal)
        except NotFoundError:
            try:
                found = await self._store.get(NODE, ObjectKey("", node.name))
            except NotFoundError:  # somebody took the node away, and its lease went with it
                del self._nodes[node.name]
                return
            lease = lease_object(found, LEASES, int(self._period * 2), now)
            await self._store.create(LEASE, lease, WriteOptions(deterministic=True))

    async def _for_each(self, nodes: Iterable[FakeNode], work: Work) -> None:
        """Does something for each node, some at a time; all are tried before the first failure is raised."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(node: FakeNode) -> None:
            async with gate:
                await work(node)

        results = await asyncio.gather(*(one(node) for node in nodes), return_exceptions=True)
        for failure in results:
            if isinstance(failure, BaseException):
                raise failure
