"""The fixture `served`: both servers with the files of deploy/crds applied by plain kubectl, and a namespace of one's own."""

import asyncio
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE
from corral.testing.control_plane.real_control_plane import RealControlPlane
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.waiting import eventually
from tests.training.definitions.served_kinds import FILES, Kubectl, Served, definition_names
from tests.training.ground import ground_of
from tests.training.manifests import FACTS


@pytest.fixture(scope="session")
def embedded_kubectl(control_plane_binaries: Path) -> Iterator[tuple[Access, Kubectl]]:
    with EmbeddedApi() as api:
        # client-go sends no token over plain HTTP, but the user part of an address
        server = api.access.server.replace("http://", f"http://corral:{api.access.token}@")
        kubectl = Kubectl(control_plane_binaries / "kubectl", f"--server={server}", "--kubeconfig=/dev/null")
        yield api.access, kubectl


@pytest.fixture(scope="session")
def real_kubectl(real_control_plane: RealControlPlane, control_plane_binaries: Path) -> tuple[Access, Kubectl]:
    kubeconfig = str(real_control_plane.kubeconfig)
    config = read_kubeconfig([kubeconfig], must_exist=True)
    kubectl = Kubectl(control_plane_binaries / "kubectl", f"--kubeconfig={kubeconfig}")
    kubectl("apply", f"--filename={FILES}")
    kubectl("wait", "--for=condition=Established", "--timeout=30s", *definition_names())
    asyncio.run(eventually(lambda: _all_are_published(kubectl), within=30.0))
    return access_of(config, config.current, os.environ), kubectl


def _all_are_published(kubectl: Kubectl) -> bool:
    """Whether the server tells of every kind; it does so a moment after it serves them."""
    index = kubectl("get", "--raw=/openapi/v3")
    if "apis/kubeflow.org/v1alpha2" not in index:
        return False
    published = kubectl("get", "--raw=/openapi/v3/apis/kubeflow.org/v1")
    return all(f'"kind":"{kind}"' in published for kind in FACTS)


@pytest.fixture(params=["embedded", "real"])
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    if request.param == "real":
        ground_of(request, "real").stop_operator()  # this server is shared, and tests here expect to be alone with it
    access, kubectl = request.getfixturevalue(f"{request.param}_kubectl")
    namespace = f"definitions-{secrets.token_hex(4)}"
    warnings: list[str] = []
    with SyncClient(access, warn=warnings.append) as client:
        client.create(NAMESPACE, {"metadata": {"name": namespace}})
        yield Served(client, kubectl, namespace, warnings)
        client.delete(NAMESPACE, ObjectKey("", namespace))
