"""The fixture `served`: both servers with the files of deploy/crds applied by plain kubectl, and a namespace of one's own."""

import os
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import NAMESPACE
from corral.testing.control_plane.real_control_plane import RealControlPlane
from corral.testing.embedded_api import EmbeddedApi
from tests.training.manifests import FACTS

FILES = Path(__file__).resolve().parents[3] / "deploy" / "crds"


class Kubectl:
    """kubectl, told which server to talk to."""

    def __init__(self, binary: Path, *where: str) -> None:
        self._command = [str(binary), *where]

    def __call__(self, *arguments: str, given: str | None = None) -> str:
        run = subprocess.run([*self._command, *arguments], input=given, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0, run.stderr
        return run.stdout


class Served:
    """A server that knows the training kinds."""

    def __init__(self, client: SyncClient, kubectl: Kubectl, namespace: str, warnings: list[str]) -> None:
        self.client = client
        self.kubectl = kubectl
        self.namespace = namespace
        self.warnings = warnings

    def key(self, name: str = "job") -> ObjectKey:
        return ObjectKey(self.namespace, name)

    def create(self, job: Object) -> Object:
        version = job["apiVersion"].partition("/")[2]
        job = {**job, "metadata": {**job["metadata"], "namespace": self.namespace}}
        return self.client.create(resource(job["kind"], version), job)

    def read(self, kind: str, version: str = "v1", name: str = "job") -> Object:
        return self.client.get(resource(kind, version), self.key(name))


def resource(kind: str, version: str = "v1") -> ApiResource:
    return ApiResource("kubeflow.org", version, kind, FACTS[kind].plural)


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
    kubectl("wait", "--for=create", "--timeout=30s", "--namespace=default", "serviceaccount/default")
    return access_of(config, config.current, os.environ), kubectl


def definition_names() -> list[str]:
    return [f"crd/{facts.plural}.kubeflow.org" for facts in FACTS.values()]


@pytest.fixture(params=["embedded", "real"])
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    access, kubectl = request.getfixturevalue(f"{request.param}_kubectl")
    namespace = f"definitions-{secrets.token_hex(4)}"
    warnings: list[str] = []
    with SyncClient(access, warn=warnings.append) as client:
        client.create(NAMESPACE, {"metadata": {"name": namespace}})
        yield Served(client, kubectl, namespace, warnings)
        client.delete(NAMESPACE, ObjectKey("", namespace))
