"""A server that knows the training kinds, as these tests meet it: through a client, and through kubectl."""

import subprocess
from pathlib import Path

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from tests.training.manifests import FACTS

FILES = Path(__file__).resolve().parents[3] / "deploy" / "crds"


class Kubectl:
    """kubectl, told which server to talk to."""

    def __init__(self, binary: Path, *where: str) -> None:
        self._command = [str(binary), *where]

    def __call__(self, *arguments: str, given: str | None = None) -> str:
        run = self._run(arguments, given)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def refusal(self, *arguments: str, given: str | None = None) -> str:
        """Returns what kubectl says when it must not succeed."""
        run = self._run(arguments, given)
        assert run.returncode != 0, run.stdout
        return run.stderr

    def _run(self, arguments: tuple[str, ...], given: str | None) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self._command, *arguments], input=given, capture_output=True, text=True, timeout=60)


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


def definition_names() -> list[str]:
    return [f"crd/{facts.plural}.kubeflow.org" for facts in FACTS.values()]
