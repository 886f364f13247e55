"""The operators, seen alike: start, ready, stop, process."""

import os
import shlex
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter, sleep

from corral.testing.control_plane.loopback import ADDRESS, free_port
from tools.bench.processes import cpu_seconds
from tools.bench.sides import SOURCE
from tools.bench.wire import Refused

OURS, PEER = "corral", "peer"


class Operator:
    """One operator process on one cluster; started and stopped as often as one likes."""

    def __init__(self, name: str, command: list[str], log: Path, kubeconfig: Path) -> None:
        self.name = name
        self._command = command
        self._log = log
        self._kubeconfig = kubeconfig
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process, which must have been started."""
        if self._process is None or self._process.poll() is not None:
            raise Refused(f"{self.name} does not run: {self._log.read_text()[-500:]}")
        return self._process.pid

    def start(self) -> None:
        """Starts the process; it is not ready yet."""
        self._port = free_port()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment |= {"KUBECONFIG": str(self._kubeconfig), "PYTHONPATH": str(SOURCE)}
        words = ["--metrics-bind-address=0", f"--health-probe-bind-address={ADDRESS}:{self._port}"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([*self._command, *words], env=environment, stdout=log, stderr=log)

    def await_ready(self, limit: float = 60.0) -> None:
        """Returns when it says that it is ready and its processor time has come to rest."""
        deadline = perf_counter() + limit
        while not self._is_ready():
            if perf_counter() > deadline:
                raise Refused(f"{self.name} was not ready after {limit:.0f} s: {self._log.read_text()[-500:]}")
            sleep(0.05)
        self.await_rest()

    def await_rest(self, limit: float = 60.0) -> float:
        """Returns the processor time used so far, once a second has passed in which it hardly grew."""
        used, deadline = cpu_seconds([self.pid]), perf_counter() + limit
        while True:
            sleep(1.0)
            before, used = used, cpu_seconds([self.pid])
            if used - before <= 0.05 or perf_counter() > deadline:
                return used

    def stop(self) -> None:
        """Asks it to end, and waits; it gives its lease back on the way."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
            self._process = None

    def _is_ready(self) -> bool:
        _ = self.pid
        connection = HTTPConnection(ADDRESS, self._port, timeout=2)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


def ours(directory: Path, kubeconfig: Path) -> Operator:
    """Returns our operator as anybody would start it."""
    command = [sys.executable, "-m", "corral", "operator", "--kubeconfig", str(kubeconfig)]
    return Operator(OURS, command, directory / "operator.log", kubeconfig)


def peer(binary: Path, flags: str, directory: Path, kubeconfig: Path) -> Operator:
    """Returns another operator with the same flags for metrics and health, and some of its own."""
    command = [str(binary.absolute()), f"--kubeconfig={kubeconfig}", *shlex.split(flags)]
    return Operator(PEER, command, directory / "peer.log", kubeconfig)
