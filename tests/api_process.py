"""A real API server process for tests that kill it, starve it or send it rubbish.

The test holds the listening socket and hands it down, so clients of a dead server wait in the queue of the next one. All
servers are forked from one process that has everything imported: a start takes milliseconds, and kill -9 is still kill -9.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

TOKEN = "test-token"

_FORKING = """
import importlib, os, resource, sys
from corral.engine.apiserver.__main__ import main
for setting in sys.argv[1].split():
    where, _, value = setting.partition("=")
    module, _, name = where.rpartition(".")
    setattr(importlib.import_module("corral.engine.apiserver." + module), name, int(value) if value.isdigit() else float(value))
print("ready", flush=True)
while order := sys.stdin.readline().split():
    child = os.fork()
    if not child:
        file_limit = int(order[0])
        if file_limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, resource.RLIM_INFINITY))
        log = os.open(order[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.dup2(log, 2)
        sys.argv[1:] = ["--data", order[1], "--token-file", order[3], "--listen-fd", order[4]]
        code = 1
        try:
            code = main()
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stderr.flush()
            os._exit(code)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Answer(NamedTuple):
    """What the server said; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        return str(self.json.get("reason", ""))

    @property
    def message(self) -> str:
        return str(self.json.get("message", ""))


class ApiProcess:
    """One server at a time over one directory; `settings` sets constants of its modules, like http.request.LIMIT."""

    def __init__(self, directory: Path, settings: Mapping[str, float] | None = None) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.data = directory / "state"
        self.log = directory / "server.log"
        self.log.touch()
        self.token_file = directory / "token"
        self.token_file.write_text(TOKEN)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port: int = self.listener.getsockname()[1]
        self.pid = 0
        given = " ".join(f"{name}={value}" for name, value in (settings or {}).items())
        self._parent = subprocess.Popen(
            [sys.executable, "-c", _FORKING, given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[self.listener.fileno()],
        )
        if self._told() != "ready":
            self.close()
            raise AssertionError("the server cannot be imported")

    def __enter__(self) -> "ApiProcess":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self, *, file_limit: int = 0, data: Path | None = None) -> None:
        """Starts a server; a client may connect at once and waits until it serves."""
        assert not self.pid
        assert self._parent.stdin is not None
        order = (file_limit, data or self.data, self.log, self.token_file, self.listener.fileno())
        print(*order, file=self._parent.stdin, flush=True)
        self.pid = int(self._told())

    def wait(self) -> int:
        """Returns the exit status of the server once it has ended; negative for a signal."""
        code = int(self._told())
        self.pid = 0
        return code

    def end(self, signal: int) -> int:
        """Sends a signal and returns the exit status."""
        with suppress(ProcessLookupError):  # it ended by itself, and its status tells why
            os.kill(self.pid, signal)
        return self.wait()

    def close(self) -> None:
        """Ends everything."""
        if self.pid:
            self.end(9)
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.close()
        self._parent.wait(10)
        self._parent.stdout.close()
        self.listener.close()

    def _told(self) -> str:
        assert self._parent.stdout is not None
        return self._parent.stdout.readline().strip()

    def connect(self, timeout: float = 20) -> http.client.HTTPConnection:
        """Returns a connection for many requests."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None, timeout: float = 20
    ) -> Answer:
        """Sends one request on a connection of its own; bytes go as they are, everything else as JSON."""
        connection = self.connect(timeout)
        try:
            return ask(connection, method, path, body, headers)
        finally:
            connection.close()

    def raw(self, sent: bytes, timeout: float = 20) -> bytes:
        """Sends bytes and returns all that comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            try:
                connection.sendall(sent)
            except ConnectionError:
                pass
            return received(connection)

    def metric(self, name: str) -> float:
        """Returns one of the server's own numbers."""
        for line in self.ask("GET", "/metrics").body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise AssertionError(f"no metric {name}")

    def metric_becomes(self, name: str, wanted: float, seconds: float = 20) -> None:
        """Waits until a number has a value."""
        deadline = time.monotonic() + seconds
        while self.metric(name) != wanted:
            assert time.monotonic() < deadline, f"{name} is {self.metric(name)}, not {wanted}"
            time.sleep(0.02)

    def resident_bytes(self) -> int:
        """Returns the memory that the server holds now."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def log_text(self) -> str:
        """Returns what the server wrote to its log."""
        return self.log.read_text(errors="replace")


def ask(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Sends one request on an open connection."""
    raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **(headers or {})}
    connection.request(method, path, raw, given)
    response = connection.getresponse()
    content = response.read()
    return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, content)


def received(connection: socket.socket) -> bytes:
    """Returns all that comes until the other side closes or falls silent."""
    pieces = []
    try:
        while piece := connection.recv(1 << 16):
            pieces.append(piece)
    except (ConnectionError, TimeoutError):
        pass
    return b"".join(pieces)
