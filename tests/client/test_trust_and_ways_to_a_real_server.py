"""TLS as a kubeconfig says it, with client certificates, other names and proxies; only a real server speaks TLS."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable

import pytest
from msgspec.structs import replace

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.errors import PermanentError
from corral.kinds.well_known import NAMESPACE
from corral.ports.refusals import UnreachableError
from corral.testing.control_plane.real_control_plane import RealControlPlane

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def reach(access: Access) -> None:
    """Lists something with both clients."""

    def quick() -> None:
        with SyncClient(access) as client:
            assert client.list(NAMESPACE)

    await asyncio.to_thread(quick)
    async with AsyncClient(access) as patient:
        assert await patient.list(NAMESPACE)


async def test_every_context_of_the_kubeconfig_works(real_control_plane: RealControlPlane) -> None:
    config = read_kubeconfig([str(real_control_plane.kubeconfig)], must_exist=True)
    for context in config.contexts:
        await reach(access_of(config, context, os.environ))


WAYS: dict[str, Callable[[Access], Access]] = {
    "without looking": lambda access: replace(access, tls=replace(access.tls, authority_data=b"", verify=False)),
    "by another name": lambda access: replace(access, tls=replace(access.tls, server_name="kubernetes.default")),
}


@pytest.mark.parametrize("way", WAYS)
async def test_trust_can_be_told_otherwise(real_access: Access, way: str) -> None:
    await reach(WAYS[way](real_access))


STRANGERS: dict[str, Callable[[Access], Access]] = {
    "an authority that is not ours": lambda access: replace(access, tls=replace(access.tls, authority_data=b"")),
    "a name that is not its own": lambda access: replace(access, tls=replace(access.tls, server_name="elsewhere")),
}


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_a_stranger_is_not_spoken_to(real_access: Access, stranger: str) -> None:
    access = STRANGERS[stranger](real_access)
    with pytest.raises(UnreachableError) as caught:
        await reach(access)
    assert not caught.value.delivered
    assert caught.value.hint == "the server's certificate is not one that the kubeconfig trusts"
    async with AsyncClient(access) as patient:
        with pytest.raises(UnreachableError) as caught:
            await patient.list(NAMESPACE)
    assert not caught.value.delivered
    assert caught.value.hint == "the server's certificate is not one that the kubeconfig trusts"


def test_a_bad_certificate_is_named(real_access: Access) -> None:
    broken = replace(real_access, tls=replace(real_access.tls, certificate_data=b"not a certificate", key_data=b"x"))
    with SyncClient(broken) as client, pytest.raises(PermanentError) as caught:
        client.list(NAMESPACE)
    assert caught.value.code == "bad-certificate"


@contextlib.asynccontextmanager
async def tunnel() -> AsyncIterator[tuple[str, list[str]]]:
    """An HTTP proxy that knows CONNECT and nothing else, and notes where it was asked to go."""
    asked: list[str] = []

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.decode().split(" ", 2)
        asked.append(f"{method} {target}")
        host, _, port = target.rpartition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(pipe(reader, far_writer), pipe(far_reader, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


async def test_a_proxy_carries_both_clients_to_the_server(real_access: Access) -> None:
    async with tunnel() as (proxy, asked):
        await reach(replace(real_access, proxy=proxy))
    target = real_access.server.removeprefix("https://")
    assert asked == [f"CONNECT {target}"] * 2
