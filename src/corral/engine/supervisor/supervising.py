"""The loop: wait for a signal, a child's end or the next due time; then do what follows."""

import os
import signal
import sys
import time

from corral.engine.supervisor.children import HANDLED, Child
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import identity, wait_readable
from corral.engine.supervisor.locking import HeldLock
from corral.engine.supervisor.log_files import rotate
from corral.engine.supervisor.plan import Plan, read_plan
from corral.engine.supervisor.report import Report, write_report

HOUSEKEEPING_SECONDS = 1.0
GRACE_SECONDS = 10.0


class Supervisor:
    """Runs the children of a plan until it is told to stop, or until its home is taken away."""

    def __init__(self, home: Home, lock: HeldLock, listen_fd: int, port: int) -> None:
        self._home = home
        self._lock = lock
        self._listen_fd = listen_fd
        self._port = port
        self._since = time.time()
        self._children = [Child(spec) for spec in read_plan(home)]
        self._plans_followed = 0
        self._told: Report | None = None
        self._complaint = ""
        self._signals: set[int] = set()
        self._wakeup = _wakeup_on(HANDLED, self._signals)

    def start_children(self) -> None:
        """Starts every child that is due and tells the world."""
        now = time.monotonic()
        for child in self._children:
            if child.state == "waiting" and child.due <= now:
                child.start(self._home, self._listen_fd)
                say(f"started {child.spec.name} as pid {child.process.pid}")
        self._tell()

    def run(self) -> None:
        """Keeps the plan running; returns after SIGTERM or SIGINT, when every child has ended.

        The same when the lock file is no longer the one that is held: `rm -rf` of the home must not leave processes
        that nobody can find and that acknowledge writes to deleted files.
        """
        while self._is_at_home():
            self._sleep(self._seconds_until_due())
            if self._take(signal.SIGTERM) or self._take(signal.SIGINT):
                break
            if self._take(signal.SIGHUP):
                self._follow(read_plan(self._home))
                self._plans_followed += 1
            # Taken before the look: a child that ends after it is told anew, and one that was seen wakes nobody again.
            self._take(signal.SIGCHLD)
            self._reap()
            self.start_children()
            self._rotate_logs()
        self._stop(list(self._children))

    def _follow(self, plan: Plan) -> None:
        """Stops what the new plan lacks, adds what it has more, and gives failed children another try."""
        wanted = {spec.name: spec for spec in plan}
        self._stop([child for child in self._children if wanted.get(child.spec.name) != child.spec])
        kept = {
            child.spec.name: child
            for child in self._children
            if child.spec.name in wanted and child.state != "stopping"
        }
        self._children = [kept.get(spec.name) or Child(spec) for spec in plan]
        for child in self._children:
            if child.state in ("failed", "waiting"):
                child.state, child.due = "waiting", 0.0

    def _stop(self, children: list[Child]) -> None:
        """Ends children in the reverse of their start order, each within its grace or by force."""
        for child in reversed(children):
            if not child.process.pid:
                child.state = "stopping"
                continue
            child.stop()
            self._tell()
            if not child.process.wait_gone(GRACE_SECONDS):
                say(f"{child.spec.name} did not end within {GRACE_SECONDS:g} s; killing it")
                child.stop(signal.SIGKILL)
            os.waitpid(child.process.pid, 0)
            say(f"stopped {child.spec.name}")
            self.remove(self._home.pid_file_of(child.spec.name))

    def _reap(self) -> None:
        for child in self._children:
            if child.state != "running":
                continue
            pid, status = os.waitpid(child.process.pid, os.WNOHANG)
            if pid:
                jitter = int.from_bytes(os.urandom(2), "big") / 65536
                child.ended(os.waitstatus_to_exitcode(status), jitter)
                say(f"{child.spec.name} (pid {pid}) ended with {child.last_exit}; {self._what_next(child)}")

    @staticmethod
    def _what_next(child: Child) -> str:
        if child.state == "failed":
            return "not started again until `corral up`"
        return f"next start in {max(0.0, child.due - time.monotonic()):.1f} s"

    def _seconds_until_due(self) -> float:
        due = [child.due - time.monotonic() for child in self._children if child.state == "waiting"]
        return max(0.0, min([HOUSEKEEPING_SECONDS, *due]))

    def _sleep(self, seconds: float) -> None:
        if not self._signals:
            wait_readable(self._wakeup, seconds)
        try:
            os.read(self._wakeup, 4096)
        except BlockingIOError:
            pass

    def _take(self, number: int) -> bool:
        if number not in self._signals:
            return False
        self._signals.discard(number)
        return True

    def _rotate_logs(self) -> None:
        for name in ["supervisor", *(child.spec.name for child in self._children)]:
            try:
                rotate(self._home.log_of(name))
            except OSError as error:
                self._complain(f"cannot rotate the log of {name}: {error}")

    def _tell(self) -> None:
        children = tuple(child.report() for child in self._children)
        report = Report(identity(os.getpid()), self._port, self._since, children, self._plans_followed)
        if report == self._told and os.path.exists(self._home.report_file):
            return
        if not self._lock.is_in_place():
            return
        try:
            write_report(self._home, report)
            self._told = report
        except OSError as error:
            # A full disk is no reason to end: what runs goes on, and the report follows when there is room.
            self._complain(f"cannot write the report: {error}")

    def remove(self, path: str) -> None:
        """Removes a file of the home, unless the home has passed to somebody else."""
        if self._lock.is_in_place() and os.path.exists(path):
            os.unlink(path)

    def _is_at_home(self) -> bool:
        if self._lock.is_in_place():
            return True
        say(f"{self._home.lock_file} is gone or another file: stopping, because nobody could stop this any more")
        return False

    def _complain(self, text: str) -> None:
        if text != self._complaint:
            say(text)
        self._complaint = text


def say(text: str) -> None:
    """Writes one line to the supervisor's log."""
    try:
        sys.stderr.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {text}\n")
        sys.stderr.flush()
    except OSError:
        # The disk of the log is full; there is nowhere left to say so, and the children matter more than the line.
        return


def _wakeup_on(numbers: tuple[signal.Signals, ...], seen: set[int]) -> int:
    """Collects signals in `seen` and returns a handle that becomes readable with each of them."""
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    for number in numbers:
        signal.signal(number, lambda received, _frame: seen.add(received))
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    return readable
