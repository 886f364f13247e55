"""Health is open to all; everything else to whoever shows the token or an API server's certificate, and to nobody else."""

import ssl
from pathlib import Path

import aiohttp
import msgspec
import pytest

from corral.adapters.kubelet_api.admission import Admission
from corral.adapters.kubelet_api.certificate import kept_certificate
from corral.adapters.kubelet_api.server import KubeletServer
from corral.adapters.system.clock import SystemClock
from corral.engine.node.endpoint.doors import NodeDoors
from corral.testing.control_plane.certificates import Authority, KeyPair
from tests.node.endpoint.one_container import UID, Client, OneContainer

pytestmark = pytest.mark.anyio
DOORS = ("/pods", "/stats/summary", "/containerLogs/team/talker/main", "/exec/team/talker/main?command=id", "/nowhere")


async def test_health_is_told_to_everybody(server: KubeletServer, session: aiohttp.ClientSession) -> None:
    assert await Client(server.port, session, token="").get("/healthz") == (200, b"ok")


@pytest.mark.parametrize("token", ["", "wrong", "a-token-for-test"])
async def test_without_the_token_nothing_is_told(
    server: KubeletServer, session: aiohttp.ClientSession, token: str
) -> None:
    for path in DOORS:
        assert await Client(server.port, session, token=token).get(path) == (401, b"Unauthorized")


async def test_a_node_without_credentials_refuses_all(household: OneContainer, session: aiohttp.ClientSession) -> None:
    certificate = kept_certificate(household.folder.root, household.node)
    async with KubeletServer(NodeDoors(household, SystemClock()), certificate, Admission()) as server:
        for token in ("", "None", "x"):
            assert (await Client(server.port, session, token=token).get("/pods"))[0] == 401


async def _status(session: aiohttp.ClientSession, port: int, pair: KeyPair | None) -> int:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if pair is not None:
        context.load_cert_chain(pair.certificate, pair.key)
    async with session.get(f"https://127.0.0.1:{port}/pods", ssl=context) as answer:
        return answer.status


async def test_only_an_api_server_s_certificate_opens_the_doors(
    household: OneContainer, session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """The same authority signs for users as well: being signed by it is not enough."""
    authority = Authority(tmp_path, "cluster")
    api_server = authority.issue("api", user="kube-apiserver-kubelet-client", groups=["kubeadm:cluster-admins"])
    named = authority.issue("named", user="kube-apiserver")
    somebody = authority.issue("somebody", user="somebody", groups=["developers"])
    (tmp_path / "other").mkdir()
    stranger = Authority(tmp_path / "other", "cluster").issue("stranger", user="kube-apiserver")
    certificate = kept_certificate(household.folder.root, household.node)
    admission = Admission(client_ca=str(authority.pair.certificate))
    async with KubeletServer(NodeDoors(household, SystemClock()), certificate, admission) as server:
        assert await _status(session, server.port, api_server) == 200
        assert await _status(session, server.port, named) == 200
        assert await _status(session, server.port, somebody) == 401
        assert await _status(session, server.port, None) == 401
        with pytest.raises(aiohttp.ClientError):
            await _status(session, server.port, stranger)


async def test_pods_and_figures_are_told(client: Client, household: OneContainer) -> None:
    status, body = await client.get("/pods")
    pods = msgspec.json.decode(body)
    assert (status, pods["kind"], pods["items"][0]["metadata"]["uid"]) == (200, "PodList", UID)
    status, body = await client.get("/stats/summary")
    summary = msgspec.json.decode(body)
    assert summary["node"]["nodeName"] == household.node
    assert summary["node"]["memory"]["workingSetBytes"] > 1 << 20
    assert summary["pods"][0]["podRef"]["name"] == "talker"
    assert summary["pods"][0]["containers"][0]["memory"]["workingSetBytes"] > 1 << 10


async def test_ports_are_not_forwarded_and_that_is_said(client: Client) -> None:
    status, body = await client.get("/portForward/team/talker")
    assert status == 501
    assert b"does not forward ports" in body


def test_a_certificate_is_kept_private_and_renewed(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    first = kept_certificate(str(tmp_path), "some-node", now)
    assert Path(first.path).stat().st_mode & 0o777 == 0o600
    assert kept_certificate(str(tmp_path), "some-node", now + 86_400 * 500) == first
    renewed = kept_certificate(str(tmp_path), "some-node", now + 86_400 * 600)
    assert renewed.fingerprint != first.fingerprint
    Path(first.path).write_text("spoilt")
    assert kept_certificate(str(tmp_path), "some-node", now).fingerprint not in (first.fingerprint, renewed.fingerprint)
