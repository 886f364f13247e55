"""One child process: how it is started, and what is known about it from start to end."""

import os
import signal
import sys
import time

from corral.engine.small_files import note, read_text
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import ProcessIdentity, identity
from corral.engine.supervisor.log_files import open_log, size_of
from corral.engine.supervisor.plan import ChildSpec
from corral.engine.supervisor.report import ChildReport
from corral.engine.supervisor.restarts import after_exit, spoken

HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
"""The signals that the supervisor listens to and its children must not inherit handlers for."""
NOBODY = ProcessIdentity(0, "")


class Child:
    """A child of the running supervisor: `waiting` (to be started at `due`), `running`, `stopping` or `failed`."""

    def __init__(self, spec: ChildSpec) -> None:
        self.spec = spec
        self.state = "waiting"
        self.due = 0.0
        self.process = NOBODY
        self.since = time.time()
        self.restarts = -1
        self.last_exit = ""
        self.log_start = 0
        self.is_crash_loop = False
        self._streak = 0

    def start(self, home: Home, listen_fd: int) -> None:
        """Starts the process."""
        self.log_start = size_of(home.log_of(self.spec.name))
        self.process = identity(spawn(self.spec, home, listen_fd))
        self.state, self.since = "running", time.time()
        self.restarts += 1

    def ended(self, status: int, jitter: float) -> None:
        """Notes that the process has ended and decides when it is started again."""
        uptime = time.time() - self.since
        self.process, self.since, self.last_exit = NOBODY, time.time(), spoken(status)
        verdict = after_exit(status, uptime, self._streak, jitter)
        self._streak, self.is_crash_loop = verdict.streak, verdict.is_crash_loop
        self.state = "failed" if verdict.wait is None else "waiting"
        self.due = time.monotonic() + (verdict.wait or 0.0)

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Asks the process to end, politely or, with SIGKILL, together with everything it started."""
        self.state = "stopping"
        if number == signal.SIGKILL:
            self.process.send_group(number)
        else:
            self.process.send(number)

    def report(self) -> ChildReport:
        """Returns what `corral status` shows."""
        return ChildReport(
            self.spec.name,
            self.process,
            self.state,
            self.since,
            max(0, self.restarts),
            self.is_crash_loop,
            self.last_exit,
            self.log_start,
        )


def spawn(spec: ChildSpec, home: Home, listen_fd: int) -> int:
    """Starts a child in its own session, output to its log, and returns its pid.

    The child notes its own pid before it becomes the new program: there is no moment in which a killed supervisor
    leaves a process behind that nobody can find. Signals wait meanwhile: one that reached the child while it still
    has the supervisor's handlers would be lost, and a stop just after a start would wait for its whole grace.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        return pid
    try:
        signal.set_wakeup_fd(-1)
        for number in HANDLED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        os.setsid()
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        log = open_log(home.log_of(spec.name))
        os.dup2(log, 1)
        os.dup2(log, 2)
        if spec.listens:
            os.set_inheritable(listen_fd, True)
        myself = identity(os.getpid())
        note(home.pid_file_of(spec.name), f"{myself.pid} {myself.start}\n")
        os.execv(spec.argv[0], spec.command(listen_fd))  # noqa: S606 - our own plan, no shell
    except OSError as error:
        sys.stderr.write(f"cannot start {spec.argv[0]}: {error}\n")
        sys.stderr.flush()
    finally:
        os._exit(127)


def left_behind(home: Home) -> dict[str, ProcessIdentity]:
    """Returns the children, by name, of any supervisor of this home that still run."""
    found = {}
    for file in sorted(os.listdir(home.run)) if os.path.isdir(home.run) else ():
        if not file.endswith(".pid"):
            continue
        pid, _, start = read_text(os.path.join(home.run, file)).strip().partition(" ")
        if pid.isdigit() and ProcessIdentity(int(pid), start).is_alive():
            found[file.removesuffix(".pid")] = ProcessIdentity(int(pid), start)
    return found


def end_left_behind(home: Home, grace: float) -> list[str]:
    """Ends children without a supervisor: asks, waits `grace` seconds, then kills; returns their names."""
    orphans = left_behind(home)
    for process in orphans.values():
        process.send(signal.SIGTERM)
    deadline = time.monotonic() + grace
    for process in orphans.values():
        if not process.wait_gone(max(0.0, deadline - time.monotonic())):
            process.send_group(signal.SIGKILL)
            process.wait_gone(5.0)
    return sorted(orphans)
