"""The fixture `judge`: both servers, without an operator, each asked what it says of a job."""

import json
import secrets
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from corral.kinds.cron.cron import CRON
from corral.kinds.objects import Object
from corral.kinds.queues.queue import QUEUE
from corral.testing.contracts.kubernetes_api.server import Server
from tests.training.ground import Ground, ground_of
from tests.training.manifests import FACTS

ENFORCED = "pod-security.kubernetes.io/enforce"


class Verdict(NamedTuple):
    """What a server said: the status object or the job, and the texts of its Warning headers."""

    code: int
    body: Object
    warnings: list[str]

    @property
    def message(self) -> str:
        return str(self.body.get("message", ""))


class Judge:
    """A server with two namespaces of one's own: one that allows every pod, and one that guards its pods."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.namespace = f"judged-{secrets.token_hex(4)}"
        self.guarded = f"guarded-{secrets.token_hex(4)}"

    def open(self) -> None:
        for name, labels in ((self.namespace, {}), (self.guarded, {ENFORCED: "baseline"})):
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
            assert self._ask("POST", "/api/v1/namespaces", body).code == 201

    def close(self) -> None:
        for name in (self.namespace, self.guarded):
            self._ask("DELETE", f"/api/v1/namespaces/{name}")
        self._server.close()

    def create(self, job: Object, *, keep: bool = False, namespace: str = "") -> Verdict:
        """Creates a job; only for show unless it is to be kept."""
        return self._ask("POST", self._path(job, namespace) + ("" if keep else "?dryRun=All"), job)

    def update(self, job: Object, subresource: str = "") -> Verdict:
        return self._ask("PUT", f"{self._path(job)}/{job['metadata']['name']}{subresource}", job)

    def patch(self, job: Object, change: Any, sort: str = "merge-patch+json", query: str = "") -> Verdict:
        path = f"{self._path(job)}/{job['metadata']['name']}{query}"
        return self._ask("PATCH", path, change, f"application/{sort}")

    def delete(self, job: Object) -> Verdict:
        return self._ask("DELETE", f"{self._path(job)}/{job['metadata']['name']}")

    def _path(self, job: Object, namespace: str = "") -> str:
        if job["kind"] == QUEUE.kind:
            return f"/apis/{job['apiVersion']}/{QUEUE.plural}"
        plural = CRON.plural if job["kind"] == CRON.kind else FACTS[job["kind"]].plural
        return f"/apis/{job['apiVersion']}/namespaces/{namespace or self.namespace}/{plural}"

    def _ask(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Verdict:
        content = None if body is None else json.dumps(body).encode()
        answer = self._server.ask(method, path, content, {"Content-Type": content_type})
        warnings = [one.removeprefix('299 - "').removesuffix('"') for one in answer.header("warning")]
        return Verdict(answer.status, json.loads(answer.content), warnings)


@pytest.fixture(scope="session")
def embedded_judge(embedded_training_ground: Ground) -> Iterator[Judge]:
    yield from _judging(embedded_training_ground)


@pytest.fixture(scope="session")
def real_judge(real_training_ground: Ground) -> Iterator[Judge]:
    yield from _judging(real_training_ground)


@pytest.fixture(params=["embedded", "real"])
def judge(request: pytest.FixtureRequest) -> Judge:
    ground_of(request, request.param).stop_operator()  # what it writes would come between a read and an update
    found = request.getfixturevalue(f"{request.param}_judge")
    assert isinstance(found, Judge)
    return found


def _judging(ground: Ground) -> Iterator[Judge]:
    judge = Judge(Server(ground.kubeconfig))
    judge.open()
    yield judge
    judge.close()
