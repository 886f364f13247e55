"""`corral up` as people run it, in a home of its own: its API, its parts and what they cost, and what its pods say."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.engine.node.containers.record import MARK as CONTAINER_MARK
from corral.engine.node.folder import NodeFolder
from corral.engine.node.machine.processes import process_table, variable_of
from corral.engine.node.mpi.pod_finding import FOLDER_VARIABLE
from corral.engine.overview import look
from corral.engine.supervisor.home import Home
from corral.kinds.objects import Object, labels_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import NODE, POD
from corral.ports.object_store import DeleteOptions, Scope
from corral.ports.refusals import NotFoundError
from tools.bench.node.manifests import NAMESPACE
from tools.bench.node.spending import cpu_seconds_of
from tools.bench.processes import memory_mib
from tools.bench.wire import Refused

_LEFT_OUT = ("KUBECONFIG", "CORRAL_CONTEXT", "CORRAL_HOME", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME")
PATIENCE = 120.0
_LOOK_EVERY = 0.05


class CorralUp:
    """A running `corral up`; everything of it is gone at the end."""

    def __init__(self, parent: Path) -> None:
        parent.mkdir(parents=True, exist_ok=True)
        self._root = Path(tempfile.mkdtemp(prefix="home-", dir=parent))
        self._home = Home(str(self._root))
        self._environment = clean_environment(CORRAL_HOME=str(self._root))
        self.folder = NodeFolder(self._home.node)

    def __enter__(self) -> Self:
        try:
            self.corral("up")
            config = read_kubeconfig([self._home.kubeconfig], must_exist=True)
            self.access = access_of(config, config.current, self._environment)
            self.client = SyncClient(self.access)
            wait_until(self._has_node, "a node is ready")
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()
        self._remove()

    def corral(self, *words: str) -> str:
        """Runs a command line of ours and returns what it says."""
        command = [sys.executable, "-m", "corral", *words]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode:
            raise Refused(f"corral {words[0]}: {done.stderr.strip()}")
        return done.stdout

    # --- what it costs ---

    def pids(self) -> dict[str, int]:
        """Returns the processes of `corral up` by name."""
        return {line.name: line.pid for line in look(self._home).processes}

    def cpu_seconds(self) -> float:
        """Returns the processor time that its parts have used so far, without the programs that they have started."""
        return sum(cpu_seconds_of(pid) or 0.0 for pid in self.pids().values())

    def memory(self) -> dict[str, float]:
        """Returns the proportional set size of each part in MB (of a million bytes)."""
        return {name: round(memory_mib([pid]) * 1.048576, 1) for name, pid in self.pids().items()}

    def settled_cpu(self) -> float:
        """Returns the processor time used so far as soon as a second passes in which next to nothing was added."""
        before = self.cpu_seconds()
        while True:
            sleep(1.0)
            after = self.cpu_seconds()
            if after - before < 0.03:
                return after
            before = after

    # --- pods ---

    def log_of(self, pod: str, container: str) -> Path | None:
        """Returns the log of the first run of a container, None while there is none."""
        found = list(Path(self.folder.logs, NAMESPACE).glob(f"{pod}_*/{container}/0.log"))
        return found[-1] if found else None

    def said(self, pod: str, container: str) -> str:
        """Returns what a container has said until now."""
        path = self.log_of(pod, container)
        return path.read_text(errors="replace") if path else ""

    def pods(self, labels: str = "") -> list[Object]:
        """Returns the pods that are there."""
        return self.client.list(POD, Scope(namespace=NAMESPACE, labels=labels))

    def remove_job(self, resource: ApiResource, name: str) -> None:
        """Deletes a job, and returns when nothing is left of its pods; they are not asked politely."""
        try:
            self.client.delete(resource, ObjectKey(NAMESPACE, name), DeleteOptions(propagation="Background"))
        except NotFoundError:
            return
        wait_until(lambda: not self.pods(), f"the pods of {name} are gone")

    def left_behind(self) -> dict[str, int]:
        """Returns what is left of pods on this machine: processes, and folders of the node."""
        folders = os.listdir(self.folder.pods) if os.path.isdir(self.folder.pods) else []
        return {"processes": len(self.container_pids()), "folders": len(folders)}

    def container_pids(self) -> list[int]:
        """Returns all processes of containers of this home."""
        inside = self.folder.root
        return [
            entry.pid
            for entry in process_table()
            if variable_of(entry.pid, CONTAINER_MARK) and variable_of(entry.pid, FOLDER_VARIABLE) == inside
        ]

    def _has_node(self) -> bool:
        return any(_is_ready(node) for node in self.client.list(NODE))

    def _remove(self) -> None:
        self.corral("down")
        shutil.rmtree(self._root, ignore_errors=True)


def clean_environment(**more: str) -> dict[str, str]:
    """Returns our environment without what would lead to another cluster or change how Python starts."""
    return {name: value for name, value in os.environ.items() if name not in _LEFT_OUT} | more


def wait_until(look: Callable[[], object], what: str, within: float = PATIENCE, every: float = _LOOK_EVERY) -> None:
    """Returns when `look` is true; Refused when that takes too long."""
    deadline = monotonic() + within
    while not look():
        if monotonic() > deadline:
            raise Refused(f"not within {within:g} s: {what}")
        sleep(every)


def _is_ready(node: Object) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or []
    is_ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return labels_of(node).get("corral.dev/process-node") == "true" and is_ready
