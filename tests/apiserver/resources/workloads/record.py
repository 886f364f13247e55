"""Asks a real kube-apiserver for the answers to the cases of this folder and writes them down.

    KUBECONFIG=... python -m tests.apiserver.resources.workloads.record

Creates are dry runs; changes are made, as dry runs too, to objects in a namespace of their own that is emptied after.
"""

import json
import os
import ssl
import sys
from base64 import b64decode
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import yaml

from tests.apiserver.resources.workloads.cases import HERE, NAMESPACE, load, manifest, tidy

PLURAL = {"Pod": "pods", "Deployment": "deployments", "ReplicaSet": "replicasets", "Job": "jobs"}


class Server:
    """A Kubernetes API, spoken to in JSON."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        self._token = next(user["user"]["token"] for user in config["users"] if "token" in user["user"])
        authority = b64decode(cluster["certificate-authority-data"]).decode()
        where = urlsplit(cluster["server"])
        context = ssl.create_default_context(cadata=authority)
        self._connection = HTTPSConnection(where.hostname or "", where.port, context=context, timeout=30)

    def ask(self, method: str, path: str, body: Any = None, content: str = "application/json") -> Any:
        """Sends one request and returns the decoded answer, success or not."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content, "Accept": "application/json"}
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        return json.loads(self._connection.getresponse().read())


def path_of(obj: dict[str, Any], *tail: str) -> str:
    """Returns the path of an object's collection, or of what `tail` names below it."""
    version = obj["apiVersion"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return "/".join((root, "namespaces", NAMESPACE, PLURAL[obj["kind"]], *map(quote, tail)))


def answer_to_change(server: Server, case: dict[str, Any]) -> dict[str, Any]:
    """Makes the object of a case, with the status it has by then, and tries the change."""
    obj = manifest(case["object"])
    made = server.ask("POST", path_of(obj), obj)
    name = made["metadata"]["name"]
    if "bound" in case:
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"name": case["bound"]}}
        server.ask("POST", path_of(obj, name, "binding"), binding)
    if "state" in case:
        state = {"status": case["state"]}
        answer = server.ask("PATCH", path_of(obj, name, "status"), state, "application/merge-patch+json")
        assert answer["kind"] != "Status", answer
    tail = (name, "status") if "status" in case["change"] else (name,)
    path = path_of(obj, *tail) + "?dryRun=All"
    answer = server.ask("PATCH", path, case["change"], "application/merge-patch+json")
    server.ask("DELETE", path_of(obj, name) + "?gracePeriodSeconds=0&propagationPolicy=Background")
    return tidy(answer)


def main() -> None:
    """Records every case."""
    server = Server(Path(os.environ["KUBECONFIG"]))
    server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    accounts = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts"
    server.ask("POST", accounts, {"metadata": {"name": "default"}})
    creates = {}
    for name, case in load("creates.yaml").items():
        obj = manifest(case)
        creates[name] = tidy(server.ask("POST", path_of(obj) + "?dryRun=All", obj))
    changes = {name: answer_to_change(server, case) for name, case in load("changes.yaml").items()}
    for file, answers in (("creates.json", creates), ("changes.json", changes)):
        (HERE / file).write_text(json.dumps(answers, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    sys.stdout.write(f"{len(creates)} creates, {len(changes)} changes\n")


if __name__ == "__main__":
    main()
