"""A request that would upgrade its connection is the last one in HTTP: it is answered or passed on, and nothing hangs."""

import json
import os
import secrets
import signal
import socket
from pathlib import Path

import aiohttp
import pytest

from corral.adapters.kubelet_api.admission import Admission
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.well_known import NAMESPACE, POD
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.waiting import eventually
from tests.embedded.nodes.stage import staged

pytestmark = pytest.mark.anyio
pytest_plugins = ["corral.testing.api_servers"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _said(api: EmbeddedApi, head: str, early: bytes = b"") -> bytes:
    """Sends a head and what comes early; returns everything until the server closes."""
    host, _, port = api.access.server.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        lines = f"{head}\r\nHost: {host}:{port}\r\nAuthorization: Bearer {api.access.token}\r\n\r\n"
        connection.sendall(lines.encode() + early)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer


def test_an_upgrade_to_something_else_is_an_ordinary_request(embedded_api: EmbeddedApi) -> None:
    head = "GET /version HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk"
    answer = _said(embedded_api, head)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in answer.lower()


def test_what_comes_early_does_not_disturb_a_refusal(embedded_api: EmbeddedApi) -> None:
    namespace = f"upgrade-{secrets.token_hex(4)}"
    spec = {"containers": [{"name": "main", "image": "x"}], "automountServiceAccountToken": False}
    with SyncClient(embedded_api.access) as client:
        client.create(NAMESPACE, {"metadata": {"name": namespace}})
        client.create(POD, {"metadata": {"namespace": namespace, "name": "homeless"}, "spec": spec})
    path = f"/api/v1/namespaces/{namespace}/pods/homeless/exec?command=true&stdout=1"
    head = f"GET {path} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13"
    answer = _said(embedded_api, head, b"\x82\x80\0\0\0\0")
    status = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (status["code"], status["message"]) == (400, "pod homeless does not have a host assigned")


async def test_a_server_that_stops_cuts_the_streams_of_nodes(tmp_path: Path) -> None:
    with EmbeddedApi() as api:
        async with staged(api.access, (), tmp_path, Admission(token=api.access.token)) as stage:
            path = f"/api/v1/namespaces/{stage.household.namespace}/pods/talker/exec"
            headers = {"Authorization": f"Bearer {api.access.token}"}
            query = "container=main&command=sleep&command=100&stdout=1"
            async with aiohttp.ClientSession() as session:
                socket = await session.ws_connect(
                    f"{api.access.server}{path}?{query}", headers=headers, protocols=("v5.channel.k8s.io",)
                )
                await eventually(lambda: stage.server.open_streams == 1)
                os.kill(api.pid, signal.SIGTERM)
                message = await socket.receive(timeout=20)
                assert message.type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.ERROR)
            await eventually(lambda: stage.server.open_streams == 0)
            api.kill()
            api.start()
