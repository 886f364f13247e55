"""The controllers as a process: connect, wait for the turn, run everything, and end politely."""

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from typing import NamedTuple

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.pod_logs import PodLogs
from corral.adapters.ssh_keys.key_pairs import fill_ssh_keys
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.adapters.system.time_zones import zone_of
from corral.control.object_cache import CacheSettings
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime, runtime_of
from corral.control.training.operator import Means
from corral.engine.controllers.followed_kinds import FollowedKinds
from corral.engine.controllers.roster import Ground, made
from corral.engine.controllers.turn import is_on_this_machine, lock_path, with_lease, with_lock
from corral.errors import PermanentError
from corral.reconcile.training.mpi_v2.surroundings import SSH_KEY_PAIR

_log = logging.getLogger("corral.engine.controllers.process")

_SETTINGS = CacheSettings(watch_seconds=1800, relist_every=3600.0)
"""Watches of a local server are cheap to keep and dear to renew for thirty kinds."""


class Orders(NamedTuple):
    """What the command line asks for."""

    kubeconfig: str
    controllers: Sequence[str]
    context: str = ""
    turn: str = "auto"
    """`lock`, `lease`, `none`, or `auto`: a lock against an API on this machine, else a lease."""
    lock_file: str = ""
    """The file to lock; by default one beside the kubeconfig."""
    fake_nodes: frozenset[str] = frozenset()
    """The names of the fake nodes that stay; others are done away with."""


async def run(orders: Orders) -> None:
    """Runs until SIGTERM or SIGINT."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    access = _access(orders)
    async with AsyncClient(access, manager="corral-controllers") as client:
        working = asyncio.create_task(_take_turns(orders, access, client), name="controllers")
        waiting = asyncio.create_task(stopped.wait(), name="signals")
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
        _log.info("stopping")
        working.cancel()
        waiting.cancel()
        await asyncio.wait({working, waiting})
        if not working.cancelled():
            working.result()


def _access(orders: Orders) -> Access:
    config = read_kubeconfig([orders.kubeconfig], must_exist=True)
    context = orders.context or config.current
    if not context:
        raise PermanentError("unknown-context", f"the kubeconfig {orders.kubeconfig} names no current context")
    return access_of(config, context, os.environ)


async def _take_turns(orders: Orders, access: Access, client: AsyncClient) -> None:
    turn = orders.turn
    if turn == "auto":
        turn = "lock" if is_on_this_machine(access.server) else "lease"

    async def work(fence: Fence) -> None:
        await _work(orders, client, fence)

    if turn == "lock":
        await with_lock(orders.lock_file or lock_path(orders.kubeconfig), work)
    elif turn == "lease":
        await with_lease(_runtime(client), work)
    else:
        await work(lambda: None)


def _runtime(client: AsyncClient) -> Runtime:
    return runtime_of(
        client, clock=SystemClock(), randomness=SystemRandomness(), component="corral-controllers", settings=_SETTINGS
    )


async def _work(orders: Orders, client: AsyncClient, fence: Fence) -> None:
    """Runs all controllers on caches that are begun after the turn was taken, so that they hold the last one's writes."""
    runtime = _runtime(client)
    means = Means({SSH_KEY_PAIR: fill_ssh_keys}, PodLogs(client), zone_of)
    ground = Ground(runtime, FollowedKinds(runtime, client), fence, means, orders.fake_nodes)
    controllers = made(orders.controllers, ground)
    _log.info("controllers running", extra={"controllers": ",".join(orders.controllers), "api": client.access.server})
    async with asyncio.TaskGroup() as group:
        group.create_task(runtime.caches.run(), name="caches")
        group.create_task(runtime.events.run(), name="events")
        for controller in controllers:
            group.create_task(controller.run(), name=type(controller).__name__)
