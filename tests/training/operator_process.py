"""`corral operator` as a child process: started with any options, killed at any moment, its log kept."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path

_READY_WITHIN = 60.0


class OperatorProcess:
    """One operator over one kubeconfig; `start` returns when it is ready, also after a `kill`."""

    verb = "operator"
    """The command that runs it."""

    def __init__(
        self, kubeconfig: Path, log: Path, options: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        self.log = log
        self.options = tuple(options)
        self.environment = dict(environment or {})
        self.probes = _free_port()
        self.metrics = _free_port()
        self._kubeconfig = kubeconfig
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "OperatorProcess":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """Returns the process id of the present run."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts the process and returns when it says that it is ready."""
        self.begin()
        self._wait_ready()

    def begin(self) -> None:
        """Starts the process and returns at once."""
        words = [sys.executable, "-m", "corral", self.verb, "--kubeconfig", str(self._kubeconfig)]
        words += ["--health-probe-bind-address", f"127.0.0.1:{self.probes}"]
        words += ["--metrics-bind-address", f"127.0.0.1:{self.metrics}", "--no-leader-elect", *self.options]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log, env={**os.environ, **self.environment})

    def kill(self) -> None:
        """Ends the process at once, as a crash would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Asks the process to end, and waits for it."""
        self._end(signal.SIGTERM)

    def answer(self, path: str) -> tuple[int, str]:
        """Returns status and body of a probe."""
        return _ask(self.probes, path)

    def measurements(self) -> str:
        """Returns the page of metrics."""
        return _ask(self.metrics, "/metrics")[1]

    def _end(self, number: int) -> None:
        if self._process is None:
            return
        self._process.send_signal(number)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        self._process = None

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + _READY_WITHIN
        while time.monotonic() < deadline:
            if not self.is_running:
                raise RuntimeError(f"the operator ended at its start: {self.log.read_text()[-4000:]}")
            try:
                if self.answer("/readyz")[0] == 200:
                    return
            except (OSError, HTTPException):
                pass
            time.sleep(0.02)
        raise RuntimeError(f"the operator was not ready within {_READY_WITHIN:g} s: {self.log.read_text()[-4000:]}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _ask(port: int, path: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=5.0)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()
