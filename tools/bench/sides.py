"""The two servers, seen alike: start, stop, processes, address."""

import os
import secrets
import subprocess
import sys
from pathlib import Path
from time import perf_counter, sleep
from typing import Protocol

from corral.testing.control_plane.cluster import Choices, ControlPlane
from corral.testing.control_plane.loopback import ADDRESS, free_port
from tools.bench.wire import Address, Connection, Refused

OURS = "corral"
REAL = "kubernetes"
SOURCE = Path(__file__).resolve().parent.parent.parent / "src"
"""What is measured is the checkout that this file belongs to, whatever is installed."""


class Side(Protocol):
    """One of the servers that are compared."""

    name: str

    @property
    def address(self) -> Address:
        """Where it listens."""

    def start(self) -> float:
        """Starts on the state there is; returns the seconds from starting the first process to ready."""

    def stop(self) -> None:
        """Stops the processes and keeps the state."""

    def pids(self) -> list[int]:
        """Returns the processes that make up the server."""

    def remove(self) -> None:
        """Stops and forgets everything."""


class Embedded:
    """Our server: one process, plain HTTP on loopback with a bearer token, SQLite with fsync."""

    name = OURS

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._token = secrets.token_hex(32)
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        directory.mkdir(parents=True)
        self._token_file = directory / "token"
        self._token_file.write_text(self._token)

    @property
    def address(self) -> Address:
        """Where it listens."""
        return Address(ADDRESS, self._port, self._token)

    def start(self) -> float:
        """Starts on the state there is; returns the seconds from starting the process to ready."""
        words = ["--data", str(self._directory / "state"), "--token-file", str(self._token_file)]
        command = [sys.executable, "-m", "corral.engine.apiserver", *words, "--port", str(self._port)]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        environment["PYTHONPATH"] = str(SOURCE)
        with (self._directory / "log").open("ab") as log:
            began = perf_counter()
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        self._await_ready(began + 60)
        return perf_counter() - began

    def _await_ready(self, deadline: float) -> None:
        assert self._process is not None
        while True:
            try:
                connection = Connection(self.address)
                connection.expect(self.address.request("GET", "/readyz"), 200)
                connection.close()
                return
            except (OSError, Refused):
                if self._process.poll() is not None or perf_counter() > deadline:
                    raise Refused(
                        f"the embedded server did not start: {(self._directory / 'log').read_text()[-500:]}"
                    ) from None
                sleep(0.001)

    def stop(self) -> None:
        """Stops the process and keeps the state."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
            self._process = None

    def pids(self) -> list[int]:
        """Returns the one process."""
        return [self._process.pid] if self._process else []

    def remove(self) -> None:
        """Stops; the files go with the directory of the whole run."""
        self.stop()


class Real:
    """etcd, waiting for the disk, and kube-apiserver; TLS, because the server has no other door."""

    name = REAL

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True)
        self._plane = ControlPlane(choices=Choices(durable=True), parent=directory)
        self._is_made = False

    @property
    def address(self) -> Address:
        """Where it listens."""
        proof = self._plane.credentials
        port = int(self._plane.server.rsplit(":", 1)[1])
        return Address(ADDRESS, port, proof.token, str(proof.authority.certificate))

    def start(self) -> float:
        """Starts on the state there is; returns the seconds that etcd and kube-apiserver took, one after the other."""
        if self._is_made:
            for component in self._plane.components.values():
                component.start()
        else:
            self._plane.start()
            self._is_made = True
        return sum(component.ready_after for component in self._plane.components.values())

    def stop(self) -> None:
        """Stops both processes and keeps the state."""
        for component in reversed(self._plane.components.values()):
            component.stop()

    def pids(self) -> list[int]:
        """Returns both processes."""
        return [component.pid for component in self._plane.components.values() if component.pid is not None]

    def remove(self) -> None:
        """Stops and removes all files."""
        self._plane.stop()
