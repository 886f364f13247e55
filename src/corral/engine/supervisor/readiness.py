"""Waiting for the first answer, on a bare socket.

The socket is bound before the server has loaded, so one connection simply waits in the queue: no polling, and no HTTP
client to import on the way. Between the waits the children are looked at, so that a server that cannot start is
reported at once with its own last words.
"""

import select
import socket
import time

from corral.engine.supervisor.home import Home
from corral.engine.supervisor.lifecycle import observe
from corral.engine.supervisor.log_files import last_lines
from corral.errors import PermanentError, RetryError

SLICE_SECONDS = 0.1


def wait_ready(home: Home, port: int, seconds: float) -> None:
    """Returns when `/readyz` says so; raises when the server fails or `seconds` have passed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if _ask(home, port, deadline):
            return
        time.sleep(0.01)
    raise RetryError(
        "not-ready",
        f"the API did not become ready within {seconds:g} s",
        hint=f"see {home.log_of('api')}, or run `corral doctor`",
    )


def _ask(home: Home, port: int, deadline: float) -> bool:
    request = f"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {home.token()}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5.0) as connection:
            connection.sendall(request.encode())
            while time.monotonic() < deadline:
                if select.select([connection], [], [], SLICE_SECONDS)[0]:
                    return connection.recv(64).startswith(b"HTTP/1.1 200")
                _refuse_failed(home)
    except (ConnectionError, TimeoutError):
        _refuse_failed(home)
    return False


def _refuse_failed(home: Home) -> None:
    report = observe(home).report
    if report is None:
        return
    for child in report.children:
        if child.state == "failed" or child.is_crash_loop:
            log = home.log_of(child.name)
            raise PermanentError(
                "child-failed",
                f"{child.name} keeps ending ({child.last_exit}): " + " / ".join(last_lines(log, 3)),
                hint=f"see {log}; after a repair, `corral up` tries again",
            )
