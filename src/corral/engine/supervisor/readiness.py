"""Waiting for the first answer, on a bare socket.

The socket is bound before the server has loaded, so one connection simply waits in the queue: no polling, and no HTTP
client to import on the way. Between the waits the children are looked at, so that a server that cannot start is
reported at once with its own last words.
"""

import socket
import time
from collections.abc import Callable

from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import wait_readable
from corral.engine.supervisor.lifecycle import observe
from corral.engine.supervisor.log_files import last_lines
from corral.engine.supervisor.report import ChildReport
from corral.errors import PermanentError, RetryError

SLICE_SECONDS = 0.1


def _nothing() -> None:
    """Does nothing."""


def wait_ready(home: Home, port: int, seconds: float, on_slice: Callable[[], None] = _nothing) -> None:
    """Returns when `/readyz` says so; raises when the server fails or `seconds` have passed.

    `on_slice` is called ten times a second meanwhile.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if _ask(home, port, deadline, on_slice):
            return
        time.sleep(0.01)
    raise RetryError(
        "not-ready",
        f"the API did not become ready within {seconds:g} s",
        hint=f"it goes on trying in the background: `corral status` shows how it is, the log is {home.log_of('api')}",
    )


def _ask(home: Home, port: int, deadline: float, on_slice: Callable[[], None]) -> bool:
    request = f"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {home.token()}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5.0) as connection:
            connection.sendall(request.encode())
            while time.monotonic() < deadline:
                if wait_readable(connection.fileno(), SLICE_SECONDS):
                    return connection.recv(64).startswith(b"HTTP/1.1 200")
                _refuse_failed(home)
                on_slice()
    except (ConnectionError, TimeoutError):
        _refuse_failed(home)
    return False


def _refuse_failed(home: Home) -> None:
    report = observe(home).report
    if report is None:
        return
    for child in report.children:
        if child.is_sick:
            raise failure_of(child, home)


def failure_of(child: ChildReport, home: Home) -> PermanentError:
    """Returns the error of a child that cannot go on, in its own last words; a hint among them becomes the hint."""
    log = home.log_of(child.name)
    words = last_lines(log, 3, child.log_start)
    hints = [line.removeprefix("hint: ") for line in words if line.startswith("hint: ")]
    said = " / ".join(line.removeprefix("error: ") for line in words if not line.startswith("hint: "))
    ending = "has ended" if child.state == "failed" else "keeps ending"
    return PermanentError(
        "child-failed",
        f"{child.name} {ending} ({child.last_exit}): {said or 'it said nothing'}",
        hint="; ".join([*hints, f"the log is {log}"]),
    )
