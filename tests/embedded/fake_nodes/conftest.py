"""An embedded API with a scheduler and a process of fake nodes that tests may kill."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.testing.embedded_api import EmbeddedApi
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.conftest import in_namespace
from tests.embedded.controllers.controllers_process import ControllersProcess


class Stage:
    """A cluster of one test; its processes are started, killed and started otherwise as the test likes."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster = cluster
        self._folder = folder
        self._kubeconfig = written_kubeconfig(cluster.client.access, folder / "kubeconfig")
        self._nodes: subprocess.Popen[bytes] | None = None
        self._controllers: ControllersProcess | None = None

    def start_controllers(self, *fleet: str) -> None:
        """Starts the controllers anew, with other fake nodes that stay."""
        if self._controllers is not None:
            self._controllers.kill()
        self._controllers = ControllersProcess(
            self.cluster.client.access, self._folder, *_words(fleet), kubeconfig=self._kubeconfig
        )
        self._controllers.start()

    def start_nodes(self, *fleet: str) -> None:
        """Starts the process of the fake nodes."""
        words = [sys.executable, "-m", "corral.engine.fake_nodes", "--kubeconfig", str(self._kubeconfig)]
        with (self._folder / "fake-nodes.log").open("ab") as log:
            self._nodes = subprocess.Popen([*words, *_words(fleet)], stdout=log, stderr=log)

    def kill_nodes(self) -> None:
        """Ends that process at once, as a crash would."""
        if self._nodes is not None:
            self._nodes.kill()
            self._nodes.wait()
            self._nodes = None

    def stop_nodes(self) -> int:
        """Asks that process to end and returns its exit status."""
        assert self._nodes is not None
        self._nodes.send_signal(signal.SIGTERM)
        return self._nodes.wait(timeout=20)

    def close(self) -> None:
        """Ends everything."""
        self.kill_nodes()
        if self._controllers is not None:
            self._controllers.kill()


def _words(fleet: tuple[str, ...]) -> list[str]:
    return [word for group in fleet for word in ("--fake-nodes", group)]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with EmbeddedApi() as api:
        for cluster in in_namespace(api.access, is_real=False, has_controllers=False):
            stage = Stage(cluster, tmp_path)
            yield stage
            stage.close()
