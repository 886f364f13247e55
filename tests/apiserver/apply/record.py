"""Plays the stories of this folder on a real kube-apiserver and writes down the objects before and after each step.

    KUBECONFIG=... python -m tests.apiserver.apply.record

Everything happens in a namespace of its own, which is left empty; the definition of the custom resource is removed.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.apiserver.apply.stories import CONTENT, HERE, NAMESPACE, THING_SCHEMA, deed_of, stories
from tests.apiserver.resources.workloads.record import Server as PlainServer

CLUSTER_WIDE = ("priorityclasses",)
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.lab.example"},
    "spec": {
        "group": "lab.example",
        "names": {"kind": "Thing", "plural": "things"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": THING_SCHEMA},
            }
        ],
    },
}


class Server(PlainServer):
    """A server that can be told who is asking."""

    def ask(
        self, method: str, path: str, body: Any = None, content: str = "application/json", agent: str = "record"
    ) -> Any:
        """Sends one request and returns the decoded answer, success or not."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content, "User-Agent": agent}
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        text = answer.read()
        # A path that is not served yet is answered in plain text.
        is_json = "json" in answer.headers.get("Content-Type", "")
        return json.loads(text) if is_json else {"kind": "Status", "message": text.decode()}


def collection(kind: str) -> str:
    """Returns the path of a kind's collection in the namespace of the stories."""
    version, plural = kind.rsplit("/", 1)
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return f"{root}/{plural}" if plural in CLUSTER_WIDE else f"{root}/namespaces/{NAMESPACE}/{plural}"


def play(server: Server, kind: str, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Plays one story and returns what its steps did."""
    path = collection(kind)
    name = next(step[deed_of(step)] for step in steps[:1])["metadata"]["name"]
    found = []
    for step in steps:
        before = server.ask("GET", f"{path}/{name}")
        answer = send(server, path, name, step, before)
        known = None if before["kind"] == "Status" else before
        assert known or answer["kind"] != "Status", answer
        found.append({"before": known, "after": answer})
        # Times have seconds: the next step shall not share one with this.
        time.sleep(1.05)
    server.ask("PATCH", f"{path}/{name}", {"metadata": {"finalizers": None}}, CONTENT["merge"])
    server.ask("DELETE", f"{path}/{name}?gracePeriodSeconds=0")
    return found


def send(server: Server, path: str, name: str, step: dict[str, Any], before: dict[str, Any]) -> Any:
    """Sends the request of one step."""
    deed = deed_of(step)
    options = f"?fieldManager={quote(step['by'])}" if "by" in step else "?"
    if step.get("force"):
        options += "&force=true"
    where = f"{path}/{name}/status{options}" if step.get("status") else f"{path}/{name}{options}"
    if deed == "create":
        return server.ask("POST", path + options, step[deed])
    if deed == "put":
        return server.ask("PUT", where, merged(before, step[deed]))
    return server.ask("PATCH", where, step[deed], CONTENT[deed], step.get("agent", "record"))


def merged(obj: Any, change: Any) -> Any:
    """Returns the object with a change in it, as a client would send it back."""
    if not isinstance(obj, dict) or not isinstance(change, dict):
        return change
    return {**obj, **{key: merged(obj.get(key), value) for key, value in change.items()}}


def main() -> None:
    """Records every story."""
    server = Server(Path(os.environ["KUBECONFIG"]))
    server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    server.ask("POST", f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts", {"metadata": {"name": "default"}})
    server.ask("POST", DEFINITIONS, DEFINITION)
    while server.ask("GET", collection("lab.example/v1/things"))["kind"] == "Status":
        time.sleep(0.2)
    found = {name: play(server, story["kind"], story["steps"]) for name, story in stories().items()}
    (HERE / "recorded.json").write_text(json.dumps(found, ensure_ascii=False, indent=0) + "\n")
    server.ask("DELETE", f"{DEFINITIONS}/things.lab.example")
    # Nobody ends a namespace on a server without controllers, so it is left, empty.
    sys.stdout.write(f"{sum(map(len, found.values()))} steps of {len(found)} stories\n")


if __name__ == "__main__":
    main()
