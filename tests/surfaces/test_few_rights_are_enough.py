"""Who may change a job but not see its pods can scale, suspend and resume it; what is missing is a note."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from corral.surfaces.cli.main import run

JOBS = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/digits"
JOB: dict[str, Any] = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "digits", "namespace": "default", "uid": "1", "resourceVersion": "7"},
    "spec": {
        "elasticPolicy": {"minReplicas": 1, "maxReplicas": 4},
        "pytorchReplicaSpecs": {"Worker": {"replicas": 2}},
    },
}


class OneJobOnly(BaseHTTPRequestHandler):
    """An API server that lets us read and change one job, and nothing else."""

    patches: list[dict[str, Any]]

    def answer(self) -> None:
        """Answers for the job, and refuses everything else."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.partition("?")[0] == JOBS:
            if self.command == "PATCH":
                self.patches.append(json.loads(body))
            self._send(200, JOB)
        else:
            refusal = {"kind": "Status", "status": "Failure", "reason": "Forbidden", "message": "not yours"}
            self._send(403, {**refusal, "code": 403})

    def _send(self, code: int, content: dict[str, Any]) -> None:
        data = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PATCH = do_POST = answer  # noqa: N815 - the names that the library calls

    def log_message(self, *_: object) -> None:
        """Keeps quiet."""


@pytest.fixture
def patches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What the server was asked to change."""
    found: list[dict[str, Any]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Server", (OneJobOnly,), {"patches": found}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    config = {
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c"}}],
    }
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    monkeypatch.setenv("CORRAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.delenv("CORRAL_CONTEXT", raising=False)
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_job_whose_pods_we_may_not_see_is_scaled(
    patches: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["scale", "digits", "--workers", "3", "--timeout", "5s"]) == 0
    said = capsys.readouterr()
    assert "note: not waited for the workers, since you may not list pods" in said.err
    assert patches == [
        {"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 3}}}, "metadata": {"resourceVersion": "7"}}
    ]


def test_a_job_whose_pods_we_may_not_see_is_suspended(
    patches: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["suspend", "digits"]) == 0
    assert run(["resume", "digits"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "pytorchjob.kubeflow.org/digits suspended",
        "pytorchjob.kubeflow.org/digits is not suspended",
    ]
    assert patches == [{"spec": {"runPolicy": {"suspend": True}}, "metadata": {"resourceVersion": "7"}}]


def test_a_command_in_pods_that_we_may_not_see_is_4(
    patches: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["exec", "digits", "--", "true"]) == 4
    assert "hint: ask an administrator for the right to list pods" in capsys.readouterr().err
    assert patches == []
