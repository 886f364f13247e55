"""`corral operator`: the training operator as a process, against any API."""

import os
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
    from corral.control.training.orders import Orders


class OperatorFlags(NamedTuple):
    """What the command line of `corral operator` says."""

    part: PartFlags = PartFlags()
    namespace: str = ""
    kinds: tuple[str, ...] = ()
    gang_scheduler_name: str = ""
    pytorch_init_container_image: str = ""
    pytorch_init_container_max_tries: int = 100
    mpi_kubectl_delivery_image: str = "mpioperator/kubectl-delivery:latest"
    lost_node_grace: float = 60.0


def run_operator(flags: OperatorFlags) -> None:
    """Looks after training jobs until SIGTERM or SIGINT."""
    run_until_stopped(flags.part, partial(_operate, flags))


async def _operate(flags: OperatorFlags) -> None:
    from corral.adapters.kubernetes.pod_logs import PodLogs
    from corral.adapters.ssh_keys.key_pairs import fill_ssh_keys
    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.time_zones import zone_of
    from corral.control.operator_process import OperatorProcess
    from corral.control.training.operator import Means, component_of
    from corral.control.training.orders import refuse_missing_gang_kind
    from corral.control.training.telemetry import Telemetry
    from corral.kinds.references import ObjectKey
    from corral.reconcile.training.mpi_v2.surroundings import SSH_KEY_PAIR

    orders = _operator_orders(flags)
    async with connected(flags.part, "operator") as client:
        await refuse_missing_gang_kind(client, orders)
        lease = ObjectKey(namespace_of(client, flags.namespace), "corral-operator")
        process = OperatorProcess(
            # A node must not be given up while its last news may be older than that.
            partial(runtime_on, client, flags.part, component_of, most_quiet=flags.lost_node_grace * 0.75),
            orders,
            Telemetry(SystemClock()),
            Means({SSH_KEY_PAIR: fill_ssh_keys}, PodLogs(client), zone_of),
            leadership=leadership_by(client, flags.part, lease),
        )
        await keep(flags.part, "operator", client, process)


def _operator_orders(flags: OperatorFlags) -> "Orders":
    from corral.control.training.orders import Orders, chosen_kinds
    from corral.reconcile.frameworks.addressing import ClusterAddressing
    from corral.reconcile.frameworks.framework import Setting
    from corral.reconcile.training.gangs import gangs_for
    from corral.reconcile.training.world import Settings

    setting = Setting(
        flags.pytorch_init_container_image,
        flags.pytorch_init_container_max_tries,
        flags.mpi_kubectl_delivery_image,
    )
    settings = Settings(
        addressing=ClusterAddressing(os.environ.get("CUSTOM_CLUSTER_DOMAIN", "")),
        gangs=gangs_for(flags.gang_scheduler_name),
        setting=setting,
        node_grace=flags.lost_node_grace,
    )
    return Orders(chosen_kinds(flags.kinds), flags.namespace, settings)
