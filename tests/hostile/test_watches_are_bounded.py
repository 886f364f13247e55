"""Watches that are not read, or dropped: bounded memory, nothing left behind, and nothing lost for who comes back."""

import json
import os
import resource
import socket
from contextlib import ExitStack
from pathlib import Path

from tests.api_process import TOKEN, ApiProcess, ask, received

MAPS = "/api/v1/namespaces/default/configmaps"
HEAD = f"Host: localhost\r\nAuthorization: Bearer {TOKEN}\r\n".encode()
MERGE = {"Content-Type": "application/merge-patch+json"}
WATCHES = 2000
LONGRUNNING = "apiserver_longrunning_requests"


def watch(api: ApiProcess, query: str = "", more: bytes = b"") -> socket.socket:
    """Opens a watch and returns when its head has come."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(20)
    connection.connect(("127.0.0.1", api.port))
    connection.sendall(f"GET {MAPS}?watch=true{query} HTTP/1.1\r\n".encode() + HEAD + b"\r\n" + more)
    assert connection.recv(15, socket.MSG_PEEK).startswith(b"HTTP/1.1 200 OK")
    return connection


def events_in(raw: bytes) -> list[int]:
    """Returns the revisions of the whole events in a chunked answer, however it ended."""
    body, rest = b"", raw.partition(b"\r\n\r\n")[2]
    while b"\r\n" in rest:
        size, _, rest = rest.partition(b"\r\n")
        body, rest = body + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    lines = body.split(b"\n")[:-1]
    return [int(json.loads(line)["object"]["metadata"]["resourceVersion"]) for line in lines]


def test_a_reader_that_does_not_read_is_cut_off_and_can_resume(tmp_path: Path) -> None:
    with ApiProcess(tmp_path) as api:
        first = int(api.ask("POST", MAPS, {"metadata": {"name": "big"}}).json["metadata"]["resourceVersion"])
        before = api.resident_bytes()
        slow = watch(api, f"&resourceVersion={first}")
        connection, revisions = api.connect(), []
        for number in range(180):
            patch = {"data": {"text": f"{number} " + "x" * 150_000}}
            answer = ask(connection, "PATCH", f"{MAPS}/big", patch, MERGE)
            revisions.append(int(answer.json["metadata"]["resourceVersion"]))
        connection.close()
        api.metric_becomes(LONGRUNNING, 0)
        # The history holds these versions as well; what is bounded here is what a watch adds.
        history = sum(150_000 for _ in revisions)
        assert api.resident_bytes() - before < history + (60 << 20)
        seen = events_in(received(slow))
        slow.close()
        assert seen == revisions[: len(seen)]
        assert len(seen) < len(revisions)
        last = seen[-1] if seen else first
        rest = api.ask("GET", f"{MAPS}?watch=true&resourceVersion={last}&timeoutSeconds=-1").body
        resumed = [int(json.loads(line)["object"]["metadata"]["resourceVersion"]) for line in rest.splitlines()]
        assert seen + resumed == revisions


def test_a_reader_that_never_reads_ends_with_its_time(tmp_path: Path) -> None:
    with ApiProcess(tmp_path, {"rest.watching.OVERDUE_SECONDS": 0.3}) as api:
        for number in range(30):
            api.ask("POST", MAPS, {"metadata": {"name": f"m{number}"}, "data": {"text": "x" * 400_000}})
        stuck = watch(api, "&timeoutSeconds=1")
        api.metric_becomes(LONGRUNNING, 0)
        stuck.close()


def test_dropped_watches_leave_nothing_behind(tmp_path: Path) -> None:
    with ApiProcess(tmp_path) as api:
        api.ask("POST", MAPS, {"metadata": {"name": "a"}})
        _open_and_drop(api, 100)
        before = api.resident_bytes()
        for _ in range(WATCHES // 400):
            _open_and_drop(api, 400)
        assert api.resident_bytes() - before < 60 << 20
        assert len(os.listdir(f"/proc/{api.pid}/fd")) < 50
        assert "Traceback" not in api.log_text()


def _open_and_drop(api: ApiProcess, count: int) -> None:
    with ExitStack() as stack:
        room = min(count, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)
        for number in range(room):
            stack.enter_context(watch(api, "&allowWatchBookmarks=true" if number % 2 else ""))
        assert api.metric(LONGRUNNING) == room
        api.ask("PATCH", f"{MAPS}/a", {"data": {"n": str(count)}}, MERGE)
    api.metric_becomes(LONGRUNNING, 0)


def test_a_watch_with_a_request_behind_it_ends_with_its_connection(api: ApiProcess) -> None:
    api.metric_becomes(LONGRUNNING, 0)
    connection = watch(api, more=b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    api.metric_becomes(LONGRUNNING, 1)
    connection.close()
    api.ask("POST", MAPS, {"metadata": {"generateName": "tick-"}})
    api.metric_becomes(LONGRUNNING, 0)
