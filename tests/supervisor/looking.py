"""How the tests of the supervisor look at what it does: one call to the stand-in server, one wait for a report."""

import http.client
import time
from collections.abc import Callable

from corral.engine.supervisor import lifecycle
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.report import ChildReport


def get(port: int) -> str:
    """Returns the answer of the stand-in server: its pid."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def child_when(home: Home, holds: Callable[[ChildReport], bool], seconds: float = 20.0) -> ChildReport:
    """Waits until the first child's report satisfies the condition, and returns it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        report = lifecycle.observe(home).report
        if report is not None and holds(report.children[0]):
            return report.children[0]
        time.sleep(0.01)
    raise AssertionError(f"not seen within {seconds} s; last: {lifecycle.observe(home)}")


def children(home: Home) -> tuple[ChildReport, ...]:
    """Returns the reports of all children, none when no supervisor runs."""
    report = lifecycle.observe(home).report
    return report.children if report else ()
