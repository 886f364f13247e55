"""Jobs of real processes, and a terminal to type at."""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

from tests.surfaces.conftest import Cli, private_environment
from tests.surfaces.hollow_stage import LIMIT, until


def sleeping_job(name: str, workers: int = 0, **more: Any) -> dict[str, Any]:
    """Returns a PyTorchJob whose pods wait to be visited."""
    container = {"name": "pytorch", "image": "none", "command": ["sleep", "100000"]}
    role = {"restartPolicy": "Never", "template": {"spec": {"containers": [container]}}}
    roles = {"Master": {"replicas": 1, **role}, **({"Worker": {"replicas": workers, **role}} if workers else {})}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name},
        "spec": {"pytorchReplicaSpecs": roles, **more},
    }


class ProcessStage:
    """A home with everything running in it."""

    def __init__(self, cli: Cli, home: Path) -> None:
        self.cli = cli
        self.home = home

    def apply(self, text: str) -> None:
        """Applies manifests."""
        done = self.cli("apply", "-f", "-", text=text)
        assert done.returncode == 0, done.stderr

    def pods(self, job: str) -> dict[str, str]:
        """Returns the phases of a job's pods by name."""
        found = json.loads(self.cli("get", "pods", "-o", "json").stdout)["items"]
        mine = [one for one in found if one["metadata"]["labels"].get("training.kubeflow.org/job-name") == job]
        return {one["metadata"]["name"]: one["status"]["phase"] for one in mine}

    def wait_for_pods(self, job: str, count: int) -> None:
        """Returns when a job has exactly so many running pods."""
        until(lambda: list(self.pods(job).values()) == ["Running"] * count, f"{count} running pods of {job}")


class Terminal:
    """A command line at a terminal of its own; what it shows is collected."""

    def __init__(self, home: Path, *words: str, columns: int = 100, lines: int = 30) -> None:
        self.master, slave = pty.openpty()
        self.resize(columns, lines)
        self.before = termios.tcgetattr(slave)
        command = [sys.executable, "-m", "corral", *words]
        environment = {**private_environment(home), "TERM": "xterm"}
        self.process = subprocess.Popen(
            command, env=environment, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        self.slave = slave
        self.shown = b""

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIMIT)
        os.close(self.master)
        os.close(self.slave)

    def resize(self, columns: int, lines: int) -> None:
        """Gives the terminal another size."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, text: str) -> None:
        """Presses keys."""
        os.write(self.master, text.encode())

    def until(self, text: str) -> None:
        """Returns when something was shown; it is looked for behind what was waited for before."""
        deadline = time.monotonic() + LIMIT
        while text.encode() not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} was not shown in {self.shown!r}"
            ready, _, _ = select.select([self.master], [], [], 0.5)
            if ready:
                self.shown += os.read(self.master, 65536)
        self.shown = self.shown.partition(text.encode())[2]

    def end(self) -> int:
        """Waits for the end and returns the exit status."""
        while self.process.poll() is None:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                self.shown += os.read(self.master, 65536)
        return self.process.wait(LIMIT)

    @property
    def is_as_before(self) -> bool:
        """Whether the terminal is in the state in which it was found."""
        return termios.tcgetattr(self.slave) == self.before
