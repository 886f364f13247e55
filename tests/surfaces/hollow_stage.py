"""An embedded cluster with a hollow node: commands are typed as people do, and pods play parts that a test writes."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.testing.hollow_node import HollowNode, Part, Script, hollow_node_thread
from corral.testing.hollow_node.log_book import Container
from tests.surfaces.conftest import Cli, cli_of, private_environment

T = TypeVar("T")
LIMIT = 60.0


class HollowStage:
    """One home, its API and controllers, and a node that lets pods play."""

    def __init__(self, cli: Cli, home: Path, node: HollowNode, client: SyncClient) -> None:
        self.cli = cli
        self.home = home
        self.node = node
        self.client = client

    def job(
        self,
        name: str,
        workers: int = 1,
        restart_policy: str = "Never",
        labels: dict[str, str] | None = None,
        **parts: Part,
    ) -> Path:
        """Writes a PyTorchJob whose roles play the given parts, and returns its file."""
        roles = {
            "Master": _role(1, restart_policy, parts.get("master", Part())),
            **({"Worker": _role(workers, restart_policy, parts.get("worker", Part()))} if workers else {}),
        }
        manifest = {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": name, "labels": labels or {}},
            "spec": {"pytorchReplicaSpecs": roles},
        }
        path = self.home / f"{name}.json"
        path.write_text(json.dumps(manifest))
        return path

    def submit(
        self,
        name: str,
        workers: int = 1,
        restart_policy: str = "Never",
        labels: dict[str, str] | None = None,
        **parts: Part,
    ) -> None:
        """Applies such a job."""
        done = self.cli("apply", "-f", str(self.job(name, workers, restart_policy, labels, **parts)))
        assert done.returncode == 0, done.stderr

    def say(self, pod: str, *lines: str) -> None:
        """Lets a pod print lines."""
        self.node.say(Container("default", pod, "pytorch"), *lines)

    def process_of(self, name: str) -> int:
        """Returns the pid of a process of the cluster."""
        found = json.loads(self.cli("status", "-o", "json").stdout)["processes"]
        return int(next(one["pid"] for one in found if one["name"] == name))


def _role(replicas: int, restart_policy: str, part: Part) -> dict[str, Any]:
    told = {"hollow.corral.dev/part": msgspec.json.encode(part).decode()}
    container = {"name": "pytorch", "image": "none"}
    template = {"metadata": {"annotations": told}, "spec": {"containers": [container]}}
    return {"replicas": replicas, "restartPolicy": restart_policy, "template": template}


@contextmanager
def hollow_stage(home: Path) -> Iterator[HollowStage]:
    """Starts everything but a process node, and plays pods instead."""
    cli = cli_of(home)
    try:
        done = cli("up", "--no-node")
        assert done.returncode == 0, done.stderr
        access = access_of(read_kubeconfig([str(home / "kubeconfig")]), "corral", os.environ)
        with hollow_node_thread(access, Script()) as node, SyncClient(access) as client:
            yield HollowStage(cli, home, node, client)
    finally:
        cli("down")


class Running:
    """A command that is under way; what it prints is collected as it comes."""

    def __init__(self, home: Path, *words: str) -> None:
        command = [sys.executable, "-m", "corral", *words]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=private_environment(home), stdout=pipe, stderr=pipe)
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.decode())

    def has_spoken_to_the_api(self) -> bool:
        """Whether it has a connection, and had a moment to ask for what it wants there."""
        folder = Path(f"/proc/{self.process.pid}/fd")
        if not any(os.readlink(file).startswith("socket:") for file in folder.iterdir() if file.is_symlink()):
            return False
        time.sleep(0.5)
        return True

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIMIT)
        self._reader.join(LIMIT)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def wait_line(self, text: str) -> None:
        """Returns when a line with the text was printed."""
        until(lambda: any(text in line for line in self.lines), f"a line with {text!r}", lambda: "".join(self.lines))

    def end(self) -> tuple[int, str]:
        """Waits for the end; returns the exit status and what stood on stderr."""
        status = self.process.wait(LIMIT)
        self._reader.join(LIMIT)
        assert self.process.stderr is not None
        return status, self.process.stderr.read().decode()


def until(happened: Callable[[], T], what: str, told: Callable[[], str] = str) -> T:
    """Returns the first answer that counts."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        if found := happened():
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come within {LIMIT:g} s\n{told()}")
