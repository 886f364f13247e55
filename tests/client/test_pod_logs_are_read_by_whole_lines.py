"""The latest lines of a pod, from a server that answers as the real one does: cut by size anywhere, even inside a line."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.pod_logs import PodLogs, whole_lines
from corral.kinds.references import ObjectKey
from corral.ports.log_source import LogSource
from corral.ports.refusals import InvalidError

pytestmark = pytest.mark.anyio

POD = ObjectKey("ns", "train-master-0")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class LogServer:
    """Serves one log, whatever is asked for, and notes how it was asked."""

    def __init__(self) -> None:
        self.body = b""
        self.refusal: dict[str, object] | None = None
        self.asked: list[tuple[str, dict[str, str]]] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append((request.path, dict(request.query)))
        if self.refusal is not None:
            return web.json_response(self.refusal, status=400)
        return web.Response(body=self.body)


@pytest.fixture
def server() -> LogServer:
    return LogServer()


@pytest.fixture
async def logs(server: LogServer) -> AsyncIterator[LogSource]:
    application = web.Application()
    application.router.add_get("/{path:.*}", server.answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    async with AsyncClient(Access(f"http://127.0.0.1:{port}")) as client:
        yield PodLogs(client)
    await runner.cleanup()


async def test_lines_of_the_last_seconds_are_asked_for(logs: LogSource, server: LogServer) -> None:
    server.body = b"step 1\nstep 2\n"
    assert await logs.recent_lines(POD, "pytorch", 15, 1000) == ["step 1", "step 2"]
    path, query = server.asked[0]
    assert path == "/api/v1/namespaces/ns/pods/train-master-0/log"
    assert query == {"container": "pytorch", "sinceSeconds": "15", "limitBytes": "1000", "tailLines": "2000"}


async def test_a_server_that_sends_too_much_is_cut(logs: LogSource, server: LogServer) -> None:
    server.body = b"step 100\n" * 1_000_000
    lines = await logs.recent_lines(POD, "pytorch", 15, 1000)
    assert set(lines) == {"step 100"}
    assert len(lines) == 1000 // len("step 100\n")


async def test_a_container_that_waits_is_a_refusal(logs: LogSource, server: LogServer) -> None:
    message = 'container "pytorch" in pod "train-master-0" is waiting to start: ContainerCreating'
    server.refusal = {"kind": "Status", "status": "Failure", "reason": "BadRequest", "code": 400, "message": message}
    with pytest.raises(InvalidError, match="waiting to start"):
        await logs.recent_lines(POD, "pytorch", 15, 1000)


def test_half_a_line_is_no_line() -> None:
    assert whole_lines(b"") == []
    assert whole_lines(b"step 12") == []
    assert whole_lines(b"step 1\nstep 12") == ["step 1"]
    assert whole_lines(b"\r 1/10\r 2/10\r 3/1") == [" 1/10", " 2/10"]
    assert whole_lines(b"a\r\n\nb\xff\n") == ["a", "b�"]
