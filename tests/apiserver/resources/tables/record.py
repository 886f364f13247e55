"""Makes the objects of states.yaml on a real kube-apiserver and writes the Tables it prints to rows.json.

    KUBECONFIG=... python tests/apiserver/resources/tables/record.py

Everything lies in a namespace of its own or begins with `pk`, and is deleted afterwards.
"""

import json
import os
import ssl
import sys
from base64 import b64decode
from copy import deepcopy
from email.utils import parsedate_to_datetime
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

HERE = Path(__file__).parent
NAMESPACE = "plain-tables"
CLUSTER_WIDE = {"namespaces", "nodes", "priorityclasses", "clusterrolebindings"}
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
MERGE = "application/merge-patch+json"


class Server:
    """A Kubernetes API, spoken to in JSON."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        self._token = next(user["user"]["token"] for user in config["users"] if "token" in user["user"])
        context = ssl.create_default_context(cadata=b64decode(cluster["certificate-authority-data"]).decode())
        where = urlsplit(cluster["server"])
        self._connection = HTTPSConnection(where.hostname or "", where.port, context=context, timeout=30)
        self.now = 0.0

    def ask(self, method: str, path: str, body: Any = None, content: str = "application/json", accept: str = "") -> Any:
        """Sends one request, keeps the server's time in `now`, and returns the decoded answer."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content}
        headers["Accept"] = accept or "application/json"
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        self.now = parsedate_to_datetime(answer.headers["Date"]).timestamp()
        return json.loads(answer.read())

    def must(self, method: str, path: str, body: Any = None, content: str = "application/json") -> Any:
        """Sends a request that has to succeed."""
        answer = self.ask(method, path, body, content)
        if answer.get("status") == "Failure":
            raise SystemExit(f"{method} {path}: {answer['message']}")
        return answer


def path_of(kind: str, name: str = "", tail: str = "") -> str:
    """Returns the path of a kind written as group/version/plural, or of one object of it."""
    api, _, plural = kind.rpartition("/")
    root = f"/apis/{api}" if "/" in api else f"/api/{api}"
    scope = "" if plural in CLUSTER_WIDE else f"/namespaces/{NAMESPACE}"
    return "/".join(part for part in (f"{root}{scope}/{plural}", name, tail) if part)


def make(server: Server, group: dict[str, Any], name: str) -> None:
    """Creates one object and brings it into its state."""
    given, status, *then = group["objects"][name]
    obj = deepcopy(given)
    obj.setdefault("metadata", {})["name"] = name
    if "spec" in group:
        obj["spec"] = {**deepcopy(group["spec"]), **given.get("spec", {})}
    server.must("POST", path_of(group["kind"]), obj)
    if status:
        server.must("PATCH", path_of(group["kind"], name, "status"), {"status": status}, MERGE)
    if then:
        server.must("DELETE", path_of(group["kind"], name))


def recorded(server: Server, group: dict[str, Any]) -> dict[str, Any]:
    """Makes the objects of one kind, and returns their Table with the time at which it was printed."""
    for name in group["objects"]:
        make(server, group, name)
    table = server.ask("GET", path_of(group["kind"]) + "?includeObject=Object", accept=TABLE)
    now = server.now
    for column in table["columnDefinitions"]:
        del column["description"]  # these are texts of Kubernetes; Corral has its own
    table["rows"] = [row for row in table["rows"] if row["object"]["metadata"]["name"] in group["objects"]]
    for row in table["rows"]:
        row["object"]["metadata"].pop("managedFields", None)
    for name in group["objects"]:
        server.ask("PATCH", path_of(group["kind"], name), {"metadata": {"finalizers": None}}, MERGE)
        server.ask("DELETE", path_of(group["kind"], name), {"gracePeriodSeconds": 0})
    return {"kind": group["kind"], "now": now, "columns": table["columnDefinitions"], "rows": table["rows"]}


def main() -> None:
    """Records every kind."""
    server = Server(Path(os.environ["KUBECONFIG"]))
    server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    server.ask("POST", path_of("v1/serviceaccounts"), {"metadata": {"name": "default"}})
    tables = [recorded(server, group) for group in yaml.safe_load((HERE / "states.yaml").read_text())]
    (HERE / "rows.json").write_text(json.dumps(tables, ensure_ascii=False, separators=(",", ":")) + "\n")
    sys.stdout.write(f"{sum(len(table['rows']) for table in tables)} rows in {len(tables)} tables\n")


if __name__ == "__main__":
    main()
