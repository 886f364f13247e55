"""The node as a process: connect, register, keep the pods, answer those who ask, and end politely.

Its end leaves everything running: containers are held by their own shells, and the next life of this node finds them.
"""

import asyncio
import logging
import os
import socket
from typing import NamedTuple

from corral.adapters.kubelet_api.admission import Admission
from corral.adapters.kubelet_api.certificate import Certificate, kept_certificate
from corral.adapters.kubelet_api.server import KubeletServer
from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.adapters.system.signals import until_stopped
from corral.control.object_cache import CacheSettings
from corral.control.runtime import Runtime, runtime_of
from corral.engine.node.addressing.ledger import PortLedger
from corral.engine.node.answering import KeptPods
from corral.engine.node.endpoint.doors import NodeDoors
from corral.engine.node.folder import NodeFolder
from corral.engine.node.machine.capacity import measured_capacity, processors, system
from corral.engine.node.machine.open_files import raise_limit
from corral.engine.node.machine.room import disk_room, memory_room
from corral.engine.node.membership.heartbeat import Door, Membership
from corral.engine.node.membership.pressures import pressures
from corral.engine.node.membership.self_portrait import amounts_of, described
from corral.engine.node.pods.addresses import AddressBook
from corral.engine.node.pods.claims import Claims
from corral.engine.node.pods.containers_of_pod import ContainersOfPod
from corral.engine.node.pods.devices import Devices
from corral.engine.node.pods.keeper import PodKeeper, pods_of_node
from corral.engine.node.pods.outfit import Assets, Outfitter
from corral.engine.node.pods.pod_logs import PodLogs
from corral.engine.node.pods.storage_limits import StorageWatch
from corral.engine.node.possession import hold, refuse_other_cluster
from corral.engine.small_files import read_text
from corral.kinds.nodes import CERTIFICATE_FINGERPRINT
from corral.kinds.well_known import POD, SERVICE
from corral.ports.clock import Clock

_SETTINGS = CacheSettings(watch_seconds=1800, relist_every=3600.0)

_WRITE_AGAIN = 5.0
"""Seconds between two tries to write to the node's folder."""

_log = logging.getLogger("corral.engine.node.process")


class NodeOrders(NamedTuple):
    """What the command line asks for."""

    folder: str
    name: str = ""
    joins: bool = False
    """Whether the folder belongs to one cluster for good; that of the embedded one goes with its home."""
    is_tainted: bool = False
    """Whether only pods may come that tolerate a node of processes."""
    images: str = ""
    """The file with what image names mean, when it is not in the folder."""
    token_file: str = ""
    """A file with the token that may ask this node for logs and commands."""
    client_ca_file: str = ""
    """A file with the certificates of those who sign for clients that may ask."""


async def run(access: Access, orders: NodeOrders) -> None:
    """Runs until SIGTERM or SIGINT."""
    folder = NodeFolder(orders.folder, orders.images)
    os.makedirs(folder.root, mode=0o700, exist_ok=True)
    name = orders.name or node_name(socket.gethostname())
    admission = Admission(read_text(orders.token_file).strip() if orders.token_file else "", orders.client_ca_file)
    with hold(folder):
        async with AsyncClient(access, manager="corral-node") as client:
            if orders.joins:
                await refuse_other_cluster(folder, client, access.server)
            await until_stopped(_work(client, folder, name, admission, is_tainted=orders.is_tainted))


def node_name(hostname: str) -> str:
    """Returns the name of the Node for the name of a machine: small letters, digits, dashes and dots."""
    kept = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-.") else "-" for letter in hostname)
    return kept.lower().strip("-.")[:253] or "this-machine"


async def _work(client: AsyncClient, folder: NodeFolder, name: str, admission: Admission, *, is_tainted: bool) -> None:
    runtime = runtime_of(
        client, clock=SystemClock(), randomness=SystemRandomness(), component="kubelet", settings=_SETTINGS
    )
    capacity = measured_capacity(folder.root)
    devices = Devices(folder, [str(gpu.number) for gpu in capacity.gpus])
    assets = Assets(amounts_of(capacity), processors(), devices, os.environ, open_files=raise_limit())
    keeper = _keeper(runtime, folder, name, assets)
    certificate = await _certificate(folder, name, runtime.clock)
    doors = NodeDoors(KeptPods(name, keeper, folder), runtime.clock)
    async with (
        KubeletServer(doors, certificate, admission) as server,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(runtime.caches.run(), name="caches")
        group.create_task(runtime.events.run(), name="events")
        door = Door(server.port, {CERTIFICATE_FINGERPRINT: certificate.fingerprint})
        membership = Membership(
            client,
            runtime.clock,
            name,
            described(capacity, system()),
            door=door,
            pressures=lambda: pressures(folder.root, disk_room(folder.root), memory_room()),
            is_tainted=is_tainted,
        )
        await membership.register()
        _log.info("node registered", extra={"node": name, "api": client.access.server})
        group.create_task(membership.run(), name="heartbeat")
        group.create_task(keeper.run(), name="pods")
        claims = Claims(runtime, folder, pods_of_node(name))
        group.create_task(claims.run(), name="claims")
        storage = StorageWatch(
            folder,
            runtime.clock,
            lambda: [live.pod for live in keeper.live.values() if not live.is_over],
            keeper.evict,
        )
        group.create_task(storage.run(), name="storage")


async def _certificate(folder: NodeFolder, name: str, clock: Clock) -> Certificate:
    """Returns the node's certificate; a disk that is full at the very first start is waited for."""
    while True:
        try:
            return kept_certificate(folder.root, name)
        except OSError as error:
            _log.warning("the folder of the node cannot be written to", extra={"why": str(error)})
            await clock.sleep(_WRITE_AGAIN)


def _keeper(runtime: Runtime, folder: NodeFolder, name: str, assets: Assets) -> PodKeeper:
    services = runtime.caches.of(SERVICE)
    pods = runtime.caches.of(POD, pods_of_node(name))
    addresses = AddressBook(runtime.store, services, pods, PortLedger(runtime.store, services))
    outfitter = Outfitter(runtime, folder, addresses, assets)
    return PodKeeper(runtime, name, ContainersOfPod(runtime, folder, outfitter, PodLogs(folder, runtime.clock)))
