"""An API that is down, a token that has expired, rights that are missing, a context that is not there: 8, 4, 4 and 2, with a hint.

A plugin for credentials that is not there is 4 as well, and a context without a cluster 2.

Every command that asks an API is tried against each of them.
"""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from corral.surfaces.cli.main import run

REASONS = {401: "Unauthorized", 403: "Forbidden"}

COMMANDS: dict[str, str] = {
    "get": "get",
    "get one": "get digits",
    "get a kind": "get pods",
    "list": "list",
    "list for ever": "list -w",
    "why": "why digits",
    "events": "events digits",
    "data list": "data list",
    "prune": "prune -s 1h",
    "logviewer": "logviewer digits",
    "top node": "top node",
    "top job": "top job",
    "top a job": "top job digits",
    "submit": "submit tfjob --name a --image b true",
    "suspend": "suspend digits",
    "resume": "resume digits",
    "resubmit": "resubmit digits --name again",
    "scale": "scale digits --workers 2",
    "exec": "exec digits -- true",
    "diff": "diff -f job.json",
    "logs": "logs digits",
    "wait": "wait digits --timeout 1s",
    "delete": "delete digits",
    "apply": "apply -f job.json",
    "delete all": "delete --all -y",
    "scaleout": "scaleout etjob --name digits",
    "attach": "attach digits",
    "cp": "cp digits:a b",
    "run": "run --image b train.py",
    "cron": "cron tfjob --name a --image b --schedule @daily true",
    "cron list": "cron list",
    "events for ever": "events digits -w",
}


class Unwilling(BaseHTTPRequestHandler):
    """Answers everything with one refusal, as an API server words it."""

    code = 403

    def answer(self) -> None:
        """Refuses."""
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        message = 'User "jane" cannot do this at the cluster scope' if self.code == 403 else "Unauthorized"
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message}
        body = json.dumps({**status, "reason": REASONS[self.code], "code": self.code}).encode()
        self.send_response(self.code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815 - the names that the library calls

    def log_message(self, *_: object) -> None:
        """Keeps quiet."""


class Expired(Unwilling):
    """Does not know the token any more."""

    code = 401


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    """Where the unwilling servers listen, by name; one name has nobody listening."""
    servers = {
        name: ThreadingHTTPServer(("127.0.0.1", 0), kind)
        for name, kind in (("forbidden", Unwilling), ("expired", Expired))
    }
    threads = [threading.Thread(target=server.serve_forever, daemon=True) for server in servers.values()]
    for thread in threads:
        thread.start()
    yield {
        "down": "http://127.0.0.1:1",
        **{name: f"http://127.0.0.1:{one.server_port}" for name, one in servers.items()},
    }
    for server in servers.values():
        server.shutdown()
        server.server_close()
    for thread in threads:
        thread.join()


@pytest.fixture
def _private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, addresses: dict[str, str]) -> None:
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-plugin", "interactiveMode": "Never"}
    config = {
        "current-context": "down",
        "clusters": [{"name": name, "cluster": {"server": address}} for name, address in addresses.items()],
        "contexts": [
            *({"name": name, "context": {"cluster": name, "user": "jane"}} for name in addresses),
            {"name": "pluginless", "context": {"cluster": "forbidden", "user": "plugged"}},
            {"name": "clusterless", "context": {"cluster": "nowhere", "user": "jane"}},
        ],
        "users": [{"name": "jane", "user": {"token": "t"}}, {"name": "plugged", "user": {"exec": plugin}}],
    }
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    (tmp_path / "job.json").write_text('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}')
    (tmp_path / "train.py").write_text("print(1)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORRAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.delenv("CORRAL_CONTEXT", raising=False)


@pytest.mark.usefixtures("_private")
@pytest.mark.parametrize(
    ("context", "status"),
    [("down", 8), ("expired", 4), ("forbidden", 4), ("pluginless", 4), ("nowhere", 2), ("clusterless", 2)],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_each_refusal_has_its_status_and_a_hint(
    command: str, context: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    words, _, behind = COMMANDS[command].partition(" -- ")
    found = run(["--context", context, *words.split(), *(["--", behind] if behind else [])])
    said = capsys.readouterr()
    assert (found, said.out) == (status, ""), said.err
    lines = said.err.splitlines()
    assert [line for line in lines if line.startswith("error: ")], said.err
    assert lines[-1].startswith("hint: "), said.err


@pytest.mark.usefixtures("_private")
@pytest.mark.parametrize(("context", "code"), [("down", "api-unreachable"), ("expired", "unauthorized")])
def test_programs_get_an_object(context: str, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["get", "--context", context, "-o", "json"])
    told = json.loads(capsys.readouterr().err)["error"]
    assert told["code"] == code
    assert told["hint"]
