"""Records again how a real server answers to the definitions, custom resources and pods that the tests know.

    python tools/record_schema_answers.py --server https://127.0.0.1:6443 --token TOKEN --certificate-authority FILE

Everything is sent as a dry run, except one definition, which is removed again. The cases stay; only answers change.
"""

import argparse
import json
import ssl
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent / "tests/apiserver"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DRY = "?dryRun=All&fieldValidation=Strict"


class Server:
    """A real server."""

    def __init__(self, address: str, token: str, authority: str) -> None:
        self._address, self._token = address, token
        self._tls = ssl.create_default_context(cafile=authority)

    def call(self, method: str, path: str, sent: Any = None) -> tuple[int, Any]:
        """Sends one request; returns status and decoded body."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if sent is None else json.dumps(sent).encode()
        url = self._address + path
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - the developer's own server
        try:
            with urllib.request.urlopen(request, context=self._tls) as answer:  # noqa: S310
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            body = error.read()
            return error.code, json.loads(body) if body.startswith(b"{") else {"message": body.decode()}


def main() -> None:
    """Records all three files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--certificate-authority", required=True)
    options = parser.parse_args()
    server = Server(options.server, options.token, options.certificate_authority)
    record_pods(server, TESTS / "schema/pod_decoding_answers.json")
    record_definitions(server, TESTS / "custom/definition_answers.json")
    record_custom_resources(server, TESTS / "schema/custom_resource_answers.json")


def record_pods(server: Server, path: Path) -> None:
    """Records what a strict server says of each pod."""
    recorded = json.loads(path.read_text())
    for case in recorded["cases"]:
        pod = {"apiVersion": "v1", "kind": "Pod", **case["pod"]}
        code, body = server.call("POST", f"/api/v1/namespaces/default/pods{DRY}", pod)
        case["answer"] = body["message"] if code >= 400 else "accepted"
    write(path, recorded)


def record_definitions(server: Server, path: Path) -> None:
    """Records what the server says of each definition."""
    recorded = json.loads(path.read_text())
    for case in recorded["cases"]:
        code, body = server.call("POST", DEFINITIONS + DRY, definition(case["definition"]))
        case["answer"] = body["message"] if code >= 400 else "accepted"
    write(path, recorded)


def record_custom_resources(server: Server, path: Path) -> None:
    """Defines one kind, and records for each spec the message, or the spec as the server would store it."""
    recorded = json.loads(path.read_text())
    crd = definition(recorded["definition"])
    name, group = crd["metadata"]["name"], crd["spec"]["group"]
    base = f"/apis/{group}/v1/namespaces/default/{crd['spec']['names']['plural']}"
    server.call("POST", DEFINITIONS, crd)
    try:
        while server.call("GET", base)[0] != 200:
            time.sleep(0.1)
        for case in recorded["cases"]:
            obj = {"apiVersion": f"{group}/v1", "kind": crd["spec"]["names"]["kind"], "metadata": {"name": "x"}}
            code, body = server.call("POST", base + DRY, {**obj, "spec": case["spec"]})
            case["answer"] = body["message"] if code >= 400 else body["spec"]
    finally:
        server.call("DELETE", f"{DEFINITIONS}/{name}")
    write(path, recorded)


def definition(parts: dict[str, Any]) -> dict[str, Any]:
    """Returns a whole definition from its recorded parts."""
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **parts}


def write(path: Path, recorded: dict[str, Any]) -> None:
    """Writes one case a line, so that a change of release is a readable diff."""
    cases = recorded.pop("cases")
    head = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in recorded.items())
    lines = ",\n".join(json.dumps(case) for case in cases)
    path.write_text(f'{{{head}"cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
