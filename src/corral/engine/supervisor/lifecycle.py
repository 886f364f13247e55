"""Starting, stopping and observing from outside: what `corral up`, `down` and `status` stand on.

Starting is idempotent and safe to call from several processes at once; a start lock puts them in a row. Whether a
supervisor runs is the kernel's word (its lock), never a file's.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from corral.engine.supervisor import locking
from corral.engine.supervisor.children import end_left_behind, left_behind
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import ProcessIdentity, wait_readable
from corral.engine.supervisor.log_files import last_lines, open_log
from corral.engine.supervisor.plan import Plan, read_plan, write_plan
from corral.engine.supervisor.report import Report, read_report
from corral.errors import BugError, PermanentError, RetryError

START_SECONDS = 15.0
STOP_SECONDS = 45.0
QUIET_SECONDS = 2.0
ORPHAN_GRACE_SECONDS = 10.0


class Observation(NamedTuple):
    """What runs of a home: the report of a live supervisor, or children that a killed one left behind."""

    report: Report | None
    orphans: dict[str, ProcessIdentity]

    @property
    def is_running(self) -> bool:
        """Tells whether a supervisor is at work."""
        return self.report is not None


class Started(NamedTuple):
    """The outcome of a start: the port, and whether it was running before."""

    port: int
    was_running: bool


def observe(home: Home) -> Observation:
    """Looks without touching anything."""
    if locking.is_held(home.lock_file):
        report = read_report(home)
        if report is not None:
            return Observation(report, {})
    return Observation(None, left_behind(home))


def start(home: Home, plan: Plan | Callable[[], Plan], port: int | None = None) -> Started:
    """Makes the plan run: starts a supervisor, or hands the plan to the one that is there.

    A plan that rests on what others have started is made here, in their row, so that nobody decides by what was before.
    """
    home.make_folders()
    with locking.take(home.start_lock_file):
        is_new_token = home.ensure_token()
        report = observe(home).report
        if report is None:
            write_plan(home, plan() if callable(plan) else plan)
            return Started(_launch(home, port), was_running=False)
        if port not in (None, report.port):
            raise PermanentError(
                "already-running",
                f"Corral already runs on port {report.port}, not {port}",
                hint="`corral down` first, or leave out --port",
            )
        home.remember_port(report.port)
        if is_new_token:
            _renew(report)
        wanted = plan() if callable(plan) else plan
        if read_plan(home) != wanted or any(child.state == "failed" for child in report.children):
            _hand_over(home, wanted, report)
        return Started(report.port, was_running=True)


def _renew(report: Report) -> None:
    """Ends the children, which know a token that is lost; the supervisor starts them with the new one."""
    for child in report.children:
        if child.process.send(signal.SIGTERM) and not child.process.wait_gone(ORPHAN_GRACE_SECONDS):
            child.process.send_group(signal.SIGKILL)


def _hand_over(home: Home, plan: Plan, before: Report) -> None:
    """Gives the running supervisor a plan and returns when it has carried it out, so that its report is true."""
    write_plan(home, plan)
    before.supervisor.send(signal.SIGHUP)
    deadline = time.monotonic() + STOP_SECONDS
    while time.monotonic() < deadline and before.supervisor.is_alive():
        report = read_report(home)
        if report is not None and report.plans_followed > before.plans_followed:
            return
        time.sleep(0.01)


def stop(
    home: Home, on_wait: Callable[[str], None] | None = None, afterwards: Callable[[], list[str]] = list
) -> list[str]:
    """Ends everything that runs of a home and returns what that was; an empty list when there was nothing.

    `on_wait` is told what is waited for when it takes longer than people expect. What is done `afterwards`, and names what it
    ended as well, is done before anybody can start the home again.
    """
    if not os.path.isdir(home.run):
        return afterwards()
    with locking.take(home.start_lock_file):
        report = observe(home).report
        ended = []
        if report is not None:
            ended = ["supervisor", *(child.name for child in report.children if child.process.pid)]
            report.supervisor.send(signal.SIGTERM)
            if on_wait and not report.supervisor.wait_gone(QUIET_SECONDS):
                on_wait(f"waiting for {', '.join(ended[1:]) or 'the supervisor'} to end (at most {STOP_SECONDS:g} s)")
            if not report.supervisor.wait_gone(STOP_SECONDS):
                report.supervisor.send(signal.SIGKILL)
                report.supervisor.wait_gone(5.0)
        return [*sorted({*ended, *end_left_behind(home, ORPHAN_GRACE_SECONDS)}), *afterwards()]


def _launch(home: Home, port: int | None) -> int:
    readable, writable = os.pipe()
    log = open_log(home.log_of("supervisor"))
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    ready_fd = max(readable, writable, log, null, 9) + 1
    command = [sys.executable, "-P", "-m", "corral.engine.supervisor", home.root, str(port or 0), str(ready_fd)]
    # Handles are moved, never marked inheritable here: another thread may be starting a process of its own.
    moves = [
        (os.POSIX_SPAWN_DUP2, source, target)
        for source, target in ((null, 0), (log, 1), (log, 2), (writable, ready_fd))
    ]
    try:
        # A group of its own: Ctrl-C at the starter must not reach the supervisor before it has left the session.
        starter = os.posix_spawn(sys.executable, command, child_environment(), file_actions=moves, setpgroup=0)
        os.close(writable)
        os.waitpid(starter, 0)
        return _port_from(_line(readable, START_SECONDS), home)
    finally:
        for handle in (readable, log, null):
            os.close(handle)


def child_environment() -> dict[str, str]:
    """Returns the environment for background processes: ours, with search paths that survive a change of folder."""
    environment = dict(os.environ)
    if environment.get("PYTHONPATH"):
        parts = environment["PYTHONPATH"].split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join(os.path.abspath(part) for part in parts)
    return environment


def _line(handle: int, seconds: float) -> bytes:
    deadline, received = time.monotonic() + seconds, b""
    while not received.endswith(b"\n"):
        chunk = os.read(handle, 4096) if wait_readable(handle, deadline - time.monotonic()) else b""
        if not chunk:
            break
        received += chunk
    return received


def _port_from(answer: bytes, home: Home) -> int:
    if not answer:
        log = home.log_of("supervisor")
        raise BugError(
            "supervisor-did-not-start",
            "the supervisor ended before it was ready: " + " / ".join(last_lines(log, 3)),
            hint=f"see {log}",
        )
    document = json.loads(answer)
    if document.get("problem") == "port-taken":
        raise PermanentError(
            "port-taken",
            document["text"],
            hint="choose another port once with `corral up --port PORT`, or free this one",
        )
    if document.get("problem") == "refused":
        raise OSError(*document["error"])
    if document.get("problem") == "already-running":
        raise RetryError("already-running", "another supervisor is just starting or stopping", hint="try again")
    port: int = document["port"]
    return port
