"""`corral operator`: the training operator as a process, against any API."""

import os
from typing import TYPE_CHECKING, NamedTuple

from corral.assembly.access import access_from_outside, is_embedded
from corral.errors import CorralError

if TYPE_CHECKING:
    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.control.leadership import Leadership
    from corral.control.runtime import Runtime
    from corral.control.training.orders import Orders


class OperatorFlags(NamedTuple):
    """What the command line of `corral operator` says."""

    kubeconfig: str = ""
    context: str = ""
    namespace: str = ""
    kinds: tuple[str, ...] = ()
    gang_scheduler_name: str = ""
    metrics_bind_address: str = ":8080"
    health_probe_bind_address: str = ":8081"
    leader_elect: bool = True
    pytorch_init_container_image: str = ""
    pytorch_init_container_max_tries: int = 100
    mpi_kubectl_delivery_image: str = "mpioperator/kubectl-delivery:latest"
    stale_after: float = 90.0
    lost_node_grace: float = 60.0
    log_format: str = "text"


def run_operator(flags: OperatorFlags) -> None:
    """Looks after training jobs until SIGTERM or SIGINT."""
    import asyncio

    from corral.adapters.system.log_lines import begin_logging

    begin_logging("json" if flags.log_format == "json" else "text")
    asyncio.run(_operate(flags))


async def _operate(flags: OperatorFlags) -> None:
    import asyncio

    from corral.adapters.kubernetes.async_client import AsyncClient
    from corral.adapters.kubernetes.pod_logs import PodLogs
    from corral.adapters.probes.server import ProbeServer, health_page, metrics_page
    from corral.adapters.ssh_keys.key_pairs import fill_ssh_keys
    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.signals import until_stopped
    from corral.adapters.system.time_zones import zone_of
    from corral.control.operator_process import OperatorProcess
    from corral.control.training.operator import Means
    from corral.control.training.orders import refuse_missing_gang_kind
    from corral.control.training.telemetry import Telemetry
    from corral.reconcile.training.mpi_v2.surroundings import SSH_KEY_PAIR

    access, orders = access_from_outside(flags.kubeconfig, flags.context), _operator_orders(flags)
    async with AsyncClient(access, manager="corral-operator") as client:
        await refuse_missing_gang_kind(client, orders)
        process = OperatorProcess(
            lambda: _operator_runtime(flags, client),
            orders,
            Telemetry(SystemClock()),
            Means({SSH_KEY_PAIR: fill_ssh_keys}, PodLogs(client), zone_of),
            leadership=_operator_leadership(flags, client) if flags.leader_elect else None,
        )
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
    """Warns of two operators on the same jobs; a server that does not answer is told of elsewhere."""
    import logging

    try:
        is_ours = await is_embedded(client)
    except CorralError:
        return
    if is_ours:
        hint = "this operator is needed only beside `corral up --api-only`"
        logging.getLogger("corral.operator").warning(
            "this is the embedded API, where `corral up` runs an operator of its own: two work against each other",
            extra={"hint": hint},
        )


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


def _operator_runtime(flags: OperatorFlags, client: "AsyncClient") -> "Runtime":
    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.randomness import SystemRandomness
    from corral.control.object_cache import CacheSettings
    from corral.control.runtime import runtime_of
    from corral.control.training.operator import component_of

    # A node must not be given up while its last news may be older than that.
    quiet = min(40.0, flags.stale_after * 0.45, flags.lost_node_grace * 0.75)
    settings = CacheSettings(quiet_limit=quiet, stale_after=flags.stale_after)
    return runtime_of(
        client, clock=SystemClock(), randomness=SystemRandomness(), component=component_of, settings=settings
    )


def _operator_leadership(flags: OperatorFlags, client: "AsyncClient") -> "Leadership":
    import socket

    from corral.adapters.system.clock import SystemClock
    from corral.adapters.system.randomness import SystemRandomness
    from corral.control.leadership import Leadership
    from corral.kinds.references import ObjectKey

    chance = SystemRandomness()
    in_pod = not client.access.context
    lease = ObjectKey(flags.namespace or (client.access.namespace if in_pod else "kube-system"), "corral-operator")
    identity = f"{socket.gethostname()}_{os.getpid()}_{chance.token()}"
    return Leadership(client, lease, identity, clock=SystemClock(), randomness=chance)
