"""The latest lines of a pod, from a server that answers as the real one does: the last lines, and of them the first bytes."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.pod_logs import PodLogs, whole_lines
from corral.kinds.references import ObjectKey
from corral.ports.log_source import LogSource
from corral.ports.refusals import InvalidError
from corral.reconcile.training.progress import report_of
from corral.reconcile.training.world import Report

pytestmark = pytest.mark.anyio

POD = ObjectKey("ns", "train-master-0")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class LogServer:
    """Serves one log, and notes how it was asked; as a kubelet does, it cuts to the last lines and then by size."""

    def __init__(self) -> None:
        self.body = b""
        self.refusal: dict[str, object] | None = None
        self.asked: list[tuple[str, dict[str, str]]] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append((request.path, dict(request.query)))
        if self.refusal is not None:
            return web.json_response(self.refusal, status=400)
        last = self.body.splitlines(keepends=True)[-int(request.query["tailLines"]) :]
        return web.Response(body=b"".join(last)[: int(request.query.get("limitBytes", len(self.body)))])


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
    assert query == {"container": "pytorch", "sinceSeconds": "15", "tailLines": "2000"}


async def test_of_too_much_the_end_is_kept(logs: LogSource, server: LogServer) -> None:
    server.body = b"".join(b"step %05d\n" % number for number in range(3000))
    lines = await logs.recent_lines(POD, "pytorch", 15, 1000)
    assert lines == [f"step {number:05}" for number in range(2910, 3000)]


@pytest.mark.parametrize("length", [200, 4_000, 100_000])
async def test_the_last_of_long_lines_is_read(logs: LogSource, server: LogServer, length: int) -> None:
    padding = b"x" * length
    server.body = b"".join(b"step %d %b\n" % (number, padding) for number in range(200_000 // length * 100))
    last = server.body.splitlines()[-1].decode()
    lines = await logs.recent_lines(POD, "pytorch", 15, 256 * 1024)
    assert lines[-1] == last
    assert all(line.startswith("step ") for line in lines)
    assert sum(len(line) for line in lines) <= 256 * 1024


async def test_a_job_of_long_lines_does_not_seem_to_go_back(logs: LogSource, server: LogServer) -> None:
    words = '{"time":"2027-01-15T08:00:00Z","progress":{"step":%d,"total":10000},"msg":"%s"}\n'
    server.body = "".join(words % (number, "x" * 120) for number in range(10_001)).encode()
    before = Report(10_000, 10_000, {}, since=500.0)
    lines = await logs.recent_lines(POD, "pytorch", 15, 256 * 1024)
    assert report_of(lines, None, before, 1000.0) == before


async def test_a_line_that_never_ends_is_no_news(logs: LogSource, server: LogServer) -> None:
    server.body = b"step 1\n" + b"x" * (6 * 1024 * 1024) + b"\n"
    assert await logs.recent_lines(POD, "pytorch", 15, 1000) == []
    assert [query["tailLines"] for _, query in server.asked] == ["2000", "50", "1"]


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
