"""More than the server will take: bodies, connections, requests at once. It says no, stays small, and serves the rest."""

import json
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.api_process import TOKEN, Answer, ApiProcess, received

MAPS = "/api/v1/namespaces/default/configmaps"
HEAD = f"Host: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n".encode()
GIGABYTE = 1 << 30
BLOCK = b" " * 65536
IDLE = 4000 if os.environ.get("CORRAL_TEST_FULL") else 1500


@pytest.fixture(autouse=True)
def many_descriptors() -> Iterator[None]:
    """Lets this process hold as many connections as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _pour(connection: socket.socket, block: bytes) -> tuple[int, bytes]:
    """Sends up to a gigabyte; returns how much was taken and what came back."""
    sent, answer = 0, b""
    try:
        while sent < GIGABYTE:
            connection.sendall(block)
            sent += len(block)
            if sent == 16 * len(block):
                connection.settimeout(0.2)
                answer = received(connection)
                connection.settimeout(10)
    except OSError:
        pass
    return sent, answer


@pytest.mark.parametrize("way", ["with a length", "in chunks"])
@pytest.mark.parametrize("token", [TOKEN, "wrong"])
def test_a_gigabyte_is_not_read(unchanged: ApiProcess, way: str, token: str) -> None:
    chunked = way == "in chunks"
    size = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % GIGABYTE
    block = b"%x\r\n%s\r\n" % (len(BLOCK), BLOCK) if chunked else BLOCK
    before = unchanged.resident_bytes()
    with socket.create_connection(("127.0.0.1", unchanged.port), timeout=10) as connection:
        head = HEAD.replace(TOKEN.encode(), token.encode())
        connection.sendall(f"POST {MAPS} HTTP/1.1\r\n".encode() + head + size + b"\r\n\r\n")
        sent, answer = _pour(connection, block)
    assert sent < 64 << 20
    if token == TOKEN and chunked:
        assert answer == b"" or b" 413 " in answer.split(b"\r\n")[0]
    elif answer:
        assert (b" 413 " if token == TOKEN else b" 401 ") in answer.split(b"\r\n")[0]
    assert unchanged.resident_bytes() - before < 32 << 20


def test_a_body_over_the_limit_is_refused_with_a_status(unchanged: ApiProcess) -> None:
    answer = unchanged.ask("POST", MAPS, b" " * (3 * 1024 * 1024 + 1))
    assert (answer.status, answer.reason) == (413, "RequestEntityTooLarge")


def test_over_the_limit_of_requests_the_rest_is_told_to_come_back(tmp_path: Path) -> None:
    with ApiProcess(tmp_path) as api, ExitStack() as stack:
        api.ask("GET", "/readyz")
        waiting = []
        for number in range(400):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", api.port), timeout=20))
            body = json.dumps({"metadata": {"name": f"waiting-{number}"}}).encode()
            head = f"POST {MAPS} HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n".encode()
            connection.sendall(head + HEAD + b"\r\n" + body[:-1])
            waiting.append(connection)
        refused = _first_refusal(api)
        assert refused.reason == "TooManyRequests"
        assert int(refused.headers["retry-after"]) >= 1
        assert api.ask("GET", "/readyz").status == 200, "whoever watches over us is still told that we live"
        for connection in waiting:
            connection.sendall(b"}")
        assert {received(connection).split(b"\r\n")[0] for connection in waiting} == {b"HTTP/1.1 201 Created"}
        assert len(api.ask("GET", MAPS).json["items"]) == 400
        assert "Traceback" not in api.log_text()


def _first_refusal(api: ApiProcess) -> Answer:
    for _ in range(200):
        answer = api.ask("GET", MAPS)
        if answer.status == 429:
            return answer
    raise AssertionError("nothing was refused")


def test_idle_connections_cost_little_and_end(api: ApiProcess) -> None:
    before = api.resident_bytes()
    with ExitStack() as stack:
        room = min(IDLE, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", api.port), timeout=20)) for _ in range(room)]
        assert api.ask("GET", MAPS).status == 200
        assert api.resident_bytes() - before < 60 << 20
        assert {received(connection)[:12] for connection in idle} == {b"HTTP/1.1 408"}
    assert api.ask("GET", MAPS).status == 200


def test_over_the_limit_of_connections_new_ones_are_refused_and_old_ones_served(tmp_path: Path) -> None:
    with ApiProcess(tmp_path, {"http.capacity.WANTED": 200}) as api, ExitStack() as stack:
        assert api.ask("GET", "/readyz").status == 200
        held = [stack.enter_context(socket.create_connection(("127.0.0.1", api.port), timeout=20)) for _ in range(72)]
        for connection in held:
            connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        assert api.raw(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.1 503")
        held[0].sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert held[0].recv(1000).startswith(b"HTTP/1.1 200")


def test_a_sender_of_eight_megabytes_hears_why_it_is_refused(unchanged: ApiProcess) -> None:
    answer = unchanged.ask("POST", MAPS, b" " * (8 << 20))
    assert (answer.status, answer.reason) == (413, "RequestEntityTooLarge")
