"""A pod on a real server of a node behind an API server, with kubectl in front of it."""

import asyncio
import os
import secrets
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from corral.adapters.kubelet_api.admission import Admission
from corral.adapters.kubelet_api.certificate import Certificate, kept_certificate
from corral.adapters.kubelet_api.server import KubeletServer
from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.engine.node.containers.clearing import end_all
from corral.engine.node.endpoint.doors import NodeDoors
from corral.kinds.nodes import CERTIFICATE_FINGERPRINT
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE, NODE, POD
from tests.node.endpoint.one_container import OneContainer


class Said(NamedTuple):
    """How a program ended and what it said."""

    code: int
    out: bytes
    err: str


class Stage:
    """A pod on a node behind an API server, and kubectl in front of it."""

    def __init__(
        self, kubectl: tuple[str, ...], client: AsyncClient, server: KubeletServer, household: OneContainer
    ) -> None:
        self._kubectl = [*kubectl, "--namespace", household.namespace]
        self.client = client
        self.server = server
        self.household = household

    async def kubectl(self, *arguments: str, given: bytes | None = None, spdy: bool = False) -> Said:
        """Runs kubectl to its end."""
        process = await self.started(*arguments, spdy=spdy)
        out, err = await asyncio.wait_for(process.communicate(given), 60)
        assert process.returncode is not None
        return Said(process.returncode, out, err.decode())

    async def started(self, *arguments: str, spdy: bool = False) -> asyncio.subprocess.Process:
        """Starts kubectl."""
        dialect = {"KUBECTL_REMOTE_COMMAND_WEBSOCKETS": "false"} if spdy else {}
        env = {"HOME": self.household.folder.root, "PATH": os.environ["PATH"], **dialect}
        return await asyncio.create_subprocess_exec(
            *self._kubectl, *arguments, env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )


@asynccontextmanager
async def staged(access: Access, kubectl: tuple[str, ...], folder: Path, admission: Admission) -> AsyncIterator[Stage]:
    namespace = f"exec-{secrets.token_hex(4)}"
    household = OneContainer(folder / "node", namespace)
    household.node = f"node-of-{namespace}"
    certificate = kept_certificate(household.folder.root, household.node)
    try:
        async with (
            AsyncClient(access) as client,
            KubeletServer(NodeDoors(household, SystemClock()), certificate, admission) as server,
        ):
            await client.create(NAMESPACE, {"metadata": {"name": namespace}})
            await client.create(NODE, _node(household.node, server.port, certificate))
            await client.create(POD, _pod(household))
            yield Stage(kubectl, client, server, household)
            await client.delete(NODE, ObjectKey("", household.node))
            await client.delete(NAMESPACE, ObjectKey("", namespace))
    finally:
        end_all(household.folder, 0.0)


def _node(name: str, port: int, certificate: Certificate) -> Object:
    status = {
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
    }
    annotations = {CERTIFICATE_FINGERPRINT: certificate.fingerprint}
    return {"metadata": {"name": name, "annotations": annotations}, "status": status}


def _pod(household: OneContainer) -> Object:
    containers = [{"name": name, "image": "example.com/app:1"} for name in ("main", "late")]
    spec = {"nodeName": household.node, "containers": containers, "automountServiceAccountToken": False}
    annotations = {"kubectl.kubernetes.io/default-container": "main"}
    metadata = {"namespace": household.namespace, "name": "talker", "annotations": annotations}
    return {"metadata": metadata, "spec": spec}
