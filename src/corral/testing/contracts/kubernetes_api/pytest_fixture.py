"""Pytest fixtures that hand each rung of the suite its servers: the embedded one, and the real one.

Most stories need a server whose objects nobody but the story changes, so they get one without controllers; the others
get one with controllers. A kubectl is taken from the binaries of the real control plane.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import pytest

from corral.engine.supervisor.home import kubeconfig_text
from corral.testing.contracts.kubernetes_api.server import Server
from corral.testing.control_plane.binaries import find_binaries
from corral.testing.control_plane.cluster import Choices, ControlPlane
from corral.testing.control_plane.errors import ControlPlaneError
from corral.testing.control_plane.real_control_plane import RealControlPlane
from corral.testing.embedded_api import EmbeddedApi


@pytest.fixture(scope="session")
def kubectl() -> Path | None:
    """The kubectl to drive; None where it was not built, and then stories that need it are not run."""
    try:
        found = find_binaries() / "kubectl"
    except ControlPlaneError:
        return None
    return found if found.is_file() else None


@pytest.fixture(scope="session")
def embedded_server(tmp_path_factory: pytest.TempPathFactory, kubectl: Path | None) -> Iterator[Server]:
    """The embedded API server by itself."""
    with EmbeddedApi() as api:
        server = Server(_kubeconfig(tmp_path_factory.mktemp("embedded"), api), kubectl)
        yield server
        server.close()


@pytest.fixture(scope="session")
def embedded_cluster(tmp_path_factory: pytest.TempPathFactory, kubectl: Path | None) -> Iterator[Server]:
    """The embedded API server with its controllers."""
    with EmbeddedApi() as api:
        kubeconfig = _kubeconfig(tmp_path_factory.mktemp("embedded"), api)
        command = [sys.executable, "-m", "corral.engine.controllers", "--kubeconfig", str(kubeconfig)]
        with Popen(command) as controllers:
            server = Server(kubeconfig, kubectl)
            yield server
            server.close()
            controllers.terminate()


@pytest.fixture(scope="session")
def real_server(request: pytest.FixtureRequest, kubectl: Path | None) -> Iterator[Server]:
    """A real API server without controllers; somebody's cluster has them, so a given one will not do."""
    if os.environ.get("CORRAL_TEST_KUBECONFIG"):
        pytest.skip("real API server: not run, because a given cluster has controllers; unset CORRAL_TEST_KUBECONFIG")
    binaries: Path = request.getfixturevalue("control_plane_binaries")
    with ControlPlane(binaries, Choices(durable=False)) as plane:
        server = Server(plane.kubeconfig, kubectl)
        yield server
        server.close()


@pytest.fixture(scope="session")
def real_cluster(real_control_plane: RealControlPlane, kubectl: Path | None) -> Iterator[Server]:
    """The real control plane of the session, with its controllers."""
    server = Server(real_control_plane.kubeconfig, kubectl)
    yield server
    server.close()


def _kubeconfig(folder: Path, api: EmbeddedApi) -> Path:
    port = int(api.access.server.rsplit(":", 1)[1])
    path = folder / "kubeconfig"
    path.write_text(kubeconfig_text(port, api.access.token or ""))
    path.chmod(0o600)
    return path
