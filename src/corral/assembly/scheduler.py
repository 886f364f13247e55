"""`corral scheduler`: the scheduler as a process, against any API."""

import os
from typing import TYPE_CHECKING, NamedTuple

from corral.assembly.access import access_from_outside, is_embedded
from corral.errors import CorralError

if TYPE_CHECKING:
    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.control.leadership import Leadership
    from corral.control.runtime import Runtime
    from corral.control.scheduling.orders import Orders
    from corral.placement.admission.cycle import Terms


class SchedulerFlags(NamedTuple):
    """What the command line of `corral scheduler` says."""

    kubeconfig: str = ""
    context: str = ""
    names: tuple[str, ...] = ()
    namespace: str = ""
    shard: str = ""
    certificates: str = ""
    disturb: bool = True
    placements_per_move: int = 200
    rest: float = 600.0
    calm: float = 300.0
    metrics_bind_address: str = ":8080"
    health_probe_bind_address: str = ":8081"
    leader_elect: bool = True
    stale_after: float = 90.0
    log_format: str = "text"


def run_scheduler(flags: SchedulerFlags) -> None:
    """Schedules pods until SIGTERM or SIGINT."""
    import asyncio

    from corral.adapters.system.log_lines import begin_logging

    begin_logging("json" if flags.log_format == "json" else "text")
    asyncio.run(_schedule(flags))


async def _schedule(flags: SchedulerFlags) -> None:
    import asyncio

    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.adapters.probes.server import ProbeServer, health_page, metrics_page
    from corral.adapters.system.signals import until_stopped
    from corral.control.scheduling.process import SchedulerProcess

    access = access_from_outside(flags.kubeconfig, flags.context)
    async with AsyncClient(access, manager="corral-scheduler") as client:
        orders = _orders(flags, client)
        leadership = _leadership(orders, client) if flags.leader_elect else None
        process = SchedulerProcess(lambda: _runtime(flags, client), orders, leadership=leadership)
        health = {"/healthz": health_page(process.liveness), "/readyz": health_page(process.readiness)}
        places = [
            (flags.health_probe_bind_address, health),
            (flags.metrics_bind_address, {"/metrics": metrics_page(process.metrics)}),
        ]
        async with ProbeServer(places):
            note = asyncio.create_task(_note_embedded(client), name="note")
            try:
                await until_stopped(process.run())
            finally:
                note.cancel()


async def _note_embedded(client: "AsyncClient") -> None:
    """Warns of two schedulers on the same pods; a server that does not answer is told of elsewhere."""
    import logging

    try:
        is_ours = await is_embedded(client)
    except CorralError:
        return
    if is_ours:
        hint = "this scheduler is needed only beside `corral up --api-only`"
        logging.getLogger("corral.scheduler").warning(
            "this is the embedded API, where `corral up` runs a scheduler of its own: they take the ledger from each other",
            extra={"hint": hint},
        )


def _orders(flags: SchedulerFlags, client: "AsyncClient") -> "Orders":
    from corral.adapters.local_files.line_log import LineLog
    from corral.control.scheduling.orders import Orders
    from corral.kinds.scheduling.names import OUR_NAMES
    from corral.placement.certificates.certificate import line_of

    in_pod = not client.access.context
    namespace = flags.namespace or (client.access.namespace if in_pod else "kube-system")
    orders = Orders(frozenset(flags.names) or OUR_NAMES, namespace=namespace, shard=flags.shard, terms=_terms(flags))
    if not flags.certificates:
        return orders
    log = LineLog(flags.certificates)
    return orders._replace(on_certificate=lambda one: log.append(line_of(one)))


def _terms(flags: SchedulerFlags) -> "Terms":
    from corral.control.scheduling.admission_desk import STILL
    from corral.placement.admission.cycle import Terms

    if not flags.disturb:
        return STILL
    return Terms(placements_per_move=flags.placements_per_move, rest=flags.rest, calm=flags.calm)


def _runtime(flags: SchedulerFlags, client: "AsyncClient") -> "Runtime":
    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.randomness import SystemRandomness
    from corral.control.object_cache import CacheSettings
    from corral.control.runtime import runtime_of
    from corral.control.scheduling.orders import COMPONENT

    settings = CacheSettings(quiet_limit=min(40.0, flags.stale_after * 0.45), stale_after=flags.stale_after)
    return runtime_of(
        client, clock=SystemClock(), randomness=SystemRandomness(), component=COMPONENT, settings=settings
    )


def _leadership(orders: "Orders", client: "AsyncClient") -> "Leadership":
    import socket

    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.randomness import SystemRandomness
    from corral.control.leadership import Leadership
    from corral.kinds.references import ObjectKey

    chance = SystemRandomness()
    lease = ObjectKey(orders.namespace, orders.lease_name)
    identity = f"{socket.gethostname()}_{os.getpid()}_{chance.token()}"
    return Leadership(client, lease, identity, clock=SystemClock(), randomness=chance)
