"""`corral scheduler`: the scheduler as a process, against any API."""

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from corral.assembly.cluster_part import (
    PartFlags,
    connected,
    keep,
    leadership_by,
    namespace_of,
    run_until_stopped,
    runtime_on,
)

if TYPE_CHECKING:
    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.control.scheduling.orders import Orders
    from corral.placement.admission.cycle import Terms


class SchedulerFlags(NamedTuple):
    """What the command line of `corral scheduler` says."""

    part: PartFlags = PartFlags()
    names: tuple[str, ...] = ()
    namespace: str = ""
    shard: str = ""
    certificates: str = ""
    disturb: bool = True
    placements_per_move: int = 200
    rest: float = 600.0
    calm: float = 300.0


def run_scheduler(flags: SchedulerFlags) -> None:
    """Schedules pods until SIGTERM or SIGINT."""
    run_until_stopped(flags.part, partial(_schedule, flags))


async def _schedule(flags: SchedulerFlags) -> None:
    from corral.control.scheduling.orders import COMPONENT
    from corral.control.scheduling.process import SchedulerProcess
    from corral.kinds.references import ObjectKey

    async with connected(flags.part, "scheduler") as client:
        orders = _orders(flags, client)
        process = SchedulerProcess(
            partial(runtime_on, client, flags.part, COMPONENT),
            orders,
            leadership=leadership_by(client, flags.part, ObjectKey(orders.namespace, orders.lease_name)),
        )
        await keep(flags.part, "scheduler", client, process)


def _orders(flags: SchedulerFlags, client: "AsyncClient") -> "Orders":
    from corral.adapters.local_files.line_log import LineLog
    from corral.control.scheduling.orders import Orders
    from corral.kinds.scheduling.names import OUR_NAMES
    from corral.placement.certificates.certificate import line_of

    namespace = namespace_of(client, flags.namespace)
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
