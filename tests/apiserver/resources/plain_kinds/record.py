"""Asks a real kube-apiserver for the answers to cases.yaml and writes them to answers.json.

    KUBECONFIG=... python tests/apiserver/resources/plain_kinds/record.py

Everything is made in a namespace of its own, or with names that begin with `pk`, and deleted afterwards.
"""

import json
import os
import ssl
import sys
from base64 import b64decode
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

HERE = Path(__file__).parent
NAMESPACE = "plain-kinds"
CLUSTER_WIDE = {"namespaces", "nodes", "priorityclasses", "clusterroles", "clusterrolebindings"}
_KINDS = {
    "configmaps": "ConfigMap",
    "secrets": "Secret",
    "serviceaccounts": "ServiceAccount",
    "services": "Service",
    "endpoints": "Endpoints",
    "nodes": "Node",
    "namespaces": "Namespace",
    "events": "Event",
    "persistentvolumeclaims": "PersistentVolumeClaim",
    "leases": "Lease",
    "priorityclasses": "PriorityClass",
    "horizontalpodautoscalers": "HorizontalPodAutoscaler",
    "roles": "Role",
    "clusterroles": "ClusterRole",
    "rolebindings": "RoleBinding",
    "clusterrolebindings": "ClusterRoleBinding",
}


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

    def ask(self, method: str, path: str, body: Any = None, content: str = "application/json", **headers: str) -> Any:
        """Sends one request and returns the decoded answer, success or not."""
        every = {"Authorization": f"Bearer {self._token}", "Content-Type": content, "Accept": "application/json"}
        self._connection.request(method, path, None if body is None else json.dumps(body), every | headers)
        return json.loads(self._connection.getresponse().read())


def path_of(kind: str, name: str = "", tail: str = "") -> str:
    """Returns the path of a kind written as group/version/plural, or of one object of it."""
    api, _, plural = kind.rpartition("/")
    root = f"/apis/{api}" if "/" in api else f"/api/{api}"
    scope = "" if plural in CLUSTER_WIDE else f"/namespaces/{NAMESPACE}"
    return "/".join(part for part in (f"{root}{scope}/{plural}", name.replace("%", "%25"), tail) if part)


def whole(kind: str, sent: dict[str, Any]) -> dict[str, Any]:
    """Returns what is sent, with its version and kind."""
    api, _, plural = kind.rpartition("/")
    return {"apiVersion": api, "kind": _KINDS[plural], **sent}


def tidy(answer: dict[str, Any]) -> dict[str, Any]:
    """Returns an answer without what differs from run to run."""
    if answer.get("kind") == "Status":
        return {key: answer[key] for key in ("code", "message", "details") if key in answer}
    metadata = answer["metadata"]
    for field in ("uid", "resourceVersion", "creationTimestamp", "managedFields", "selfLink"):
        metadata.pop(field, None)
    # Admission adds these for controllers (volumes in use, nodes that are not ready) that Corral does not have.
    if metadata.get("finalizers") == ["kubernetes.io/pvc-protection"]:
        del metadata["finalizers"]
    if answer["kind"] == "Node" and "taints" in answer["spec"]:
        kept = [taint for taint in answer["spec"]["taints"] if taint["key"] != "node.kubernetes.io/not-ready"]
        answer["spec"].update({"taints": kept}) if kept else answer["spec"].pop("taints")
    return answer


def answers_to(server: Server, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Runs the steps of one case, and deletes what they made."""
    kind, name, answers, made = case["kind"], "", [], set()
    for step in case["steps"]:
        if "create" in step:
            answer = server.ask("POST", path_of(kind), whole(kind, step["create"]))
            if answer["kind"] != "Status":
                name = answer["metadata"]["name"]
                made.add(name)
        elif "read" in step:
            answer = server.ask("GET", path_of(step["read"], name))
        else:
            verb = "status" if "status" in step else ""
            body = step["status"] if verb else step["patch"]
            answer = server.ask("PATCH", path_of(kind, name, verb), body, "application/merge-patch+json")
        answers.append(tidy(answer))
    for each in made:
        forget(server, kind, each)
    return answers


def forget(server: Server, kind: str, name: str) -> None:
    """Deletes an object for good, without the controllers that would let it go."""
    server.ask("PATCH", path_of(kind, name), {"metadata": {"finalizers": None}}, "application/merge-patch+json")
    left = server.ask("DELETE", path_of(kind, name))
    if kind == "v1/namespaces":
        left["spec"]["finalizers"] = []
        server.ask("PUT", path_of(kind, name, "finalize"), left)


def main() -> None:
    """Records every case."""
    server = Server(Path(os.environ["KUBECONFIG"]))
    server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    cases = yaml.safe_load((HERE / "cases.yaml").read_text())
    answers = {case["case"]: answers_to(server, case) for case in cases}
    (HERE / "answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(f"{sum(map(len, answers.values()))} answers to {len(answers)} cases\n")


if __name__ == "__main__":
    main()
