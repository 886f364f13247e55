"""A server with an operator, and this machine as its only node: embedded as people run it, or a real control plane."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.engine.node.containers.clearing import end_all
from corral.engine.node.folder import NodeFolder
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import identity
from corral.engine.supervisor.report import read_report
from corral.kinds.objects import Object, labels_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE
from corral.ports.refusals import NotFoundError
from corral.testing.control_plane.cluster import Choices, ControlPlane
from tests.training.installing import install_training_kinds
from tests.training.operator_process import OperatorProcess

READY_WITHIN = 60.0
NODE_NAME = "this-machine"


class MachineGround(ABC):
    """Where a test of the node stands: how to reach the API, where the node keeps its things, and how to kill it."""

    def __init__(self, access: Access, kubeconfig: Path, folder: Path, node: str, *, is_real: bool) -> None:
        self.access = access
        self.kubeconfig = kubeconfig
        self.folder = folder
        """The folder of the node."""
        self.node = node
        self.is_real = is_real

    @abstractmethod
    def kill_node(self) -> None:
        """Ends the process of the node as a crash would; it comes back."""

    @abstractmethod
    def log_of_node(self) -> str:
        """Returns what the node itself has said."""

    @abstractmethod
    def corral(self, *words: str, within: float = 90.0) -> "subprocess.CompletedProcess[str]":
        """Runs a command line of ours on this ground."""


class EmbeddedGround(MachineGround):
    """`corral up` in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._environment = clean_environment(CORRAL_HOME=str(home))
        self.up()
        config = read_kubeconfig([str(home / "kubeconfig")], must_exist=True)
        access = access_of(config, config.current, self._environment)
        super().__init__(access, home / "kubeconfig", home / "node", wait_for_node(access), is_real=False)

    def corral(self, *words: str, within: float = 90.0) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "corral", *words]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=within)

    def up(self, *words: str) -> None:
        """Starts everything."""
        done = self.corral("up", *words)
        assert done.returncode == 0, done.stderr

    def down(self) -> None:
        """Stops everything."""
        done = self.corral("down")
        assert done.returncode == 0, done.stderr

    def kill(self, part: str) -> None:
        """Kills one part; the supervisor brings it back. Killing what is just being brought back is no failure."""
        pid = self.pid(part)
        if pid:
            identity(pid).send(signal.SIGKILL)

    def kill_supervisor(self) -> None:
        """Kills the supervisor; the parts go on without it."""
        report = read_report(Home(str(self.home)))
        if report is not None:
            report.supervisor.send(signal.SIGKILL)
            report.supervisor.wait_gone(10.0)

    def pid(self, part: str) -> int:
        """Returns the process id of a part, 0 while it has none."""
        path = self.home / "run" / f"{part}.pid"
        text = path.read_text() if path.exists() else ""
        return int(text.split()[0]) if text else 0

    def log_of_node(self) -> str:
        return (self.home / "logs" / "node.log").read_text()

    def kill_node(self) -> None:
        before = self.pid("node")
        self.kill("node")
        wait_until(lambda: self.pid("node") not in (0, before), "the node is brought back")


class RealGround(MachineGround):
    """A real control plane with its scheduler, our operator, and `corral node`."""

    def __init__(self, plane: ControlPlane, folder: Path, name: str = NODE_NAME) -> None:
        config = read_kubeconfig([str(plane.kubeconfig)], must_exist=True)
        access = access_of(config, config.current, os.environ)
        super().__init__(access, plane.kubeconfig, folder / "node", name, is_real=True)
        self._plane = plane
        self._log = folder / "node.log"
        self._process = self._started()
        wait_for_node(access, name)

    @contextmanager
    def another(self, name: str) -> "Iterator[RealGround]":
        """Yields this machine once more, as a second node of the same control plane."""
        folder = self.folder.parent / name
        folder.mkdir()
        ground = RealGround(self._plane, folder, name)
        try:
            yield ground
        finally:
            ground.stop()
            _remove_node(ground)
            shutil.rmtree(folder)

    def corral(self, *words: str, within: float = 90.0) -> "subprocess.CompletedProcess[str]":
        environment = clean_environment(KUBECONFIG=str(self.kubeconfig), CORRAL_HOME=str(self.folder.parent))
        command = [sys.executable, "-m", "corral", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=within)

    def log_of_node(self) -> str:
        return self._log.read_text()

    def kill_node(self) -> None:
        self._process.kill()
        self._process.wait()
        self._process = self._started()

    def stop(self) -> None:
        """Asks the node to end."""
        self._process.terminate()
        self._process.wait(20)

    def _started(self) -> "subprocess.Popen[bytes]":
        words = ["node", "--kubeconfig", str(self.kubeconfig), "--name", self.node, "--folder", str(self.folder)]
        # What the tests make is meant for this machine, and tolerates nothing.
        words += ["--no-taint", "--client-ca-file", str(self._plane.credentials.authority.certificate)]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "corral", *words], stdout=log, stderr=log, env=clean_environment()
            )


def clean_environment(**more: str) -> dict[str, str]:
    """Returns our environment without what would lead to the user's own cluster."""
    left_out = ("KUBECONFIG", "CORRAL_CONTEXT", "CORRAL_HOME", "PYTHONDONTWRITEBYTECODE")
    kept: Mapping[str, str] = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, **more}


def wait_until(look: Callable[[], object], what: str, within: float = READY_WITHIN) -> None:
    """Returns when `look` is true."""
    deadline = time.monotonic() + within
    while not look():
        assert time.monotonic() < deadline, f"not within {within:g} s: {what}"
        time.sleep(0.02)


def wait_for_node(access: Access, name: str = "") -> str:
    """Returns the name of a node of processes, or of a certain one, as soon as it is ready."""
    found: list[str] = []

    def look() -> bool:
        with SyncClient(access) as client:
            ready = [str(node["metadata"]["name"]) for node in client.list(NODE) if _is_ours(node)]
        found[:] = [one for one in ready if name in ("", one)]
        return bool(found)

    wait_until(look, "a node is ready")
    return found[0]


def _is_ours(node: Object) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or []
    is_ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return labels_of(node).get("corral.dev/process-node") == "true" and is_ready


@contextmanager
def embedded_machine() -> Iterator[EmbeddedGround]:
    """Yields `corral up` in a private home, which is gone afterwards."""
    root = Path(tempfile.mkdtemp(prefix="corral-home-"))
    ground = EmbeddedGround(root / "home")
    try:
        yield ground
    finally:
        ground.down()
        shutil.rmtree(root)


@contextmanager
def real_machine(binaries: Path) -> Iterator[RealGround]:
    """Yields a real control plane whose only node is this machine."""
    root = Path(tempfile.mkdtemp(prefix="corral-node-"))
    choices = Choices(durable=False, controller_manager=True, scheduler=True)
    with ControlPlane(binaries, choices) as plane:
        plane.wait_for_default_service_account()
        config = read_kubeconfig([str(plane.kubeconfig)], must_exist=True)
        install_training_kinds(access_of(config, config.current, os.environ))
        with OperatorProcess(plane.kubeconfig, root / "operator.log"):
            ground = RealGround(plane, root)
            try:
                yield ground
            finally:
                ground.stop()
                end_all(NodeFolder(str(ground.folder)), 0.0)
                _remove_node(ground)
    shutil.rmtree(root)


def _remove_node(ground: MachineGround) -> None:
    with SyncClient(ground.access) as client:
        try:
            client.delete(NODE, ObjectKey("", ground.node))
        except NotFoundError:
            return
