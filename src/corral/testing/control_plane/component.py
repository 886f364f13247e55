"""One program of the control plane: started, awaited, stopped, and broken on purpose.

Only `Popen` handles of our own children are ever signalled, and every child is waited for, so no process id can be
mistaken for another process and no zombie stays. Children die with this process; `leash` says how.
"""

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import environ, getpid
from pathlib import Path
from time import monotonic, sleep

from corral.testing.control_plane.errors import ControlPlaneError

_LEASH = Path(__file__).with_name("leash.py")
_POLL = 0.02

# Little is passed on, because etcd takes settings from variables and refuses to start when they contradict its flags.
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "TZ")

# The kernel counts the death of the thread that started a child as the death of its parent. Callers' threads come and
# go (a test in a worker thread, an event loop's executor), so one thread of our own starts all children.
_STARTER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="control-plane-starter")


class AddressTakenError(ControlPlaneError):
    """Somebody else came to listen on the port between our choosing it and the component's asking for it."""


class Component:
    """A program with a log file and a question that tells whether it is ready."""

    def __init__(self, name: str, command: Sequence[str], log: Path, is_ready: Callable[[], bool]) -> None:
        self.name = name
        self.command = tuple(command)
        self.log = log
        self.ready_after = 0.0
        """Seconds from the latest start to the first yes."""
        self._is_ready = is_ready
        self._process: subprocess.Popen[bytes] | None = None
        self._log_began = 0

    @property
    def pid(self) -> int | None:
        """The process id while the program runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self, timeout: float = 60.0) -> None:
        """Start and wait until ready; on any failure nothing is left running. Called while running, it does nothing."""
        if self.pid is not None:
            return
        began = monotonic()
        self._process = self._spawn()
        try:
            self._await_ready(began + timeout)
        except BaseException:
            self.kill()
            raise
        self.ready_after = monotonic() - began

    def ask_to_stop(self) -> None:
        """Send SIGTERM, and SIGCONT so that a paused program hears it; returns at once."""
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGCONT)

    def stop(self, grace: float = 20.0) -> None:
        """Ask to stop, wait, and kill what does not listen. Called twice, or never started, it does nothing."""
        if self._process is None:
            return
        self.ask_to_stop()
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """SIGKILL and wait: what a crash or a lost machine looks like to the others."""
        if self._process is not None:
            self._signal(signal.SIGKILL)
            self._process.wait()

    def restart(self, timeout: float = 60.0) -> None:
        """Stop if running, then start with the same command on the same port and the same data."""
        self.stop()
        self.start(timeout)

    def pause(self) -> None:
        """Freeze: connections stay open and nobody answers, as with a partitioned network."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Undo `pause`."""
        self._signal(signal.SIGCONT)

    def output(self) -> str:
        """What the program has written since its latest start."""
        with self.log.open("rb") as file:
            file.seek(self._log_began)
            return file.read().decode(errors="replace")

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def _spawn(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-I", "-S", str(_LEASH), str(getpid()), *self.command]
        with self.log.open("ab") as output:
            self._log_began = output.tell()
            return _STARTER.submit(
                subprocess.Popen,
                command,
                cwd=self.log.parent,
                env={name: environ[name] for name in _PASSED_ON if name in environ},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # A group of its own: Ctrl-C at the terminal must reach us first, so that we stop things in order.
                process_group=0,
            ).result()

    def _await_ready(self, deadline: float) -> None:
        while not self._is_ready():
            if self.pid is None:
                raise self._gone()
            if monotonic() > deadline:
                raise ControlPlaneError(f"{self.name} did not become ready in time", f"read {self.log}")
            sleep(_POLL)

    def _gone(self) -> ControlPlaneError:
        if "address already in use" in self.output():
            return AddressTakenError(f"{self.name}: its port was taken by somebody else")
        last = next((line for line in reversed(self.output().split("\n")) if line.strip()), "no output")
        return ControlPlaneError(f"{self.name} ended before it was ready: {last.strip()[:300]}", f"read {self.log}")
