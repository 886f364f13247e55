"""An embedded server of the test's own, and operators on it with any options."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.training.operator_process import OperatorProcess
from tests.training.stage import Stage

Start = Callable[..., OperatorProcess]


@pytest.fixture
def api() -> Iterator[EmbeddedApi]:
    """A server that nobody else uses."""
    with EmbeddedApi() as api:
        yield api


@pytest.fixture
def kubeconfig(api: EmbeddedApi, tmp_path: Path) -> Path:
    """How a process reaches the server."""
    return written_kubeconfig(api.access, tmp_path / "kubeconfig")


@pytest.fixture
def start(kubeconfig: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts operators with given options; all are ended after the test."""
    with ExitStack() as running:

        def start(*options: str, at: Path = kubeconfig, **environment: str) -> OperatorProcess:
            return running.enter_context(OperatorProcess(at, tmp_path / "operator.log", options, environment))

        yield start


@pytest.fixture
def stage(api: EmbeddedApi) -> Iterator[Stage]:
    """Hands to play user and kubelet in the namespace `default`."""
    with SyncClient(api.access) as client:
        yield Stage(client, "default", is_real=False, warnings=[])
