"""Fake nodes as a process: registers them, keeps their leases, and plays the pods that are bound to them."""

import asyncio
import os
from collections.abc import Iterable, Sequence

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.adapters.system.signals import until_stopped
from corral.control.controller import Controller, Watch
from corral.control.object_cache import CacheSettings
from corral.control.outcome import DONE, Outcome
from corral.control.runtime import Runtime, runtime_of
from corral.engine.fake_nodes.addresses import Addresses
from corral.engine.fake_nodes.fleet import FakeNode
from corral.engine.fake_nodes.membership import Membership
from corral.engine.fake_nodes.part import declared
from corral.engine.fake_nodes.player import Player
from corral.kinds.objects import Object, key_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.reconcile.builtin.pods import has_ended
from corral.reconcile.plan import EmitEvent

_SETTINGS = CacheSettings(watch_seconds=1800, relist_every=3600.0)


async def run(kubeconfig: str, fleet: Sequence[FakeNode]) -> None:
    """Runs until SIGTERM or SIGINT; the nodes stay, and the next process goes on with their pods."""
    config = read_kubeconfig([kubeconfig], must_exist=True)
    async with AsyncClient(access_of(config, config.current, os.environ), manager="corral-fake-nodes") as client:
        runtime = runtime_of(
            client, clock=SystemClock(), randomness=SystemRandomness(), component="fake-nodes", settings=_SETTINGS
        )
        await until_stopped(FakeNodes(runtime, fleet).run())


class FakeNodes:
    """Everything about a fleet of fake nodes."""

    def __init__(self, runtime: Runtime, fleet: Sequence[FakeNode]) -> None:
        self._runtime = runtime
        self._numbers = {node.name: node.number for node in fleet}
        self._addresses = Addresses()
        self._membership = Membership(runtime, fleet, self._addresses)
        self._player = Player(runtime.store, runtime.clock, self._addresses)
        self._pods = runtime.caches.of(POD)
        self._controller = Controller("fake-pods", self._reconcile, [Watch(POD, self._ours)], runtime, workers=8)

    async def run(self) -> None:
        """Works until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._runtime.caches.run(), name="caches")
            group.create_task(self._runtime.events.run(), name="events")
            await self._pods.wait_synced()
            self._note_addresses()
            group.create_task(self._controller.run(), name="fake-pods")
            await self._membership.register()
            group.create_task(self._membership.beat(), name="leases")

    def _note_addresses(self) -> None:
        """Keeps the addresses of pods that run already from being lent once more."""
        for pod in self._pods.objects():
            address = (pod.get("status") or {}).get("podIP")
            if address and not has_ended(pod) and pod["spec"].get("nodeName") in self._numbers:
                self._addresses.note(address)

    def _ours(self, pod: Object) -> Iterable[ObjectKey]:
        return (key_of(pod),) if pod["spec"].get("nodeName") in self._numbers else ()

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        pod = self._pods.get(key)
        number = self._numbers.get(pod["spec"].get("nodeName", "")) if pod is not None else None
        if pod is None or number is None:
            self._player.forget(key)
            return DONE
        part, complaint = declared(pod)
        if complaint:
            self._runtime.events.emit(EmitEvent(POD, pod, "FakeRunIgnored", complaint, "Warning", repeats=False))
        return await self._player.play(pod, part, number)
