"""Tries the patches of this folder on a real kube-apiserver, as dry runs, and writes down the answers.

KUBECONFIG=... python -m tests.apiserver.patch.record
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.apiserver.apply.record import Server, collection
from tests.apiserver.apply.stories import CONTENT, NAMESPACE
from tests.apiserver.patch.cases import FORMS, HERE, cases


def answers(server: Server, case: dict[str, Any]) -> dict[str, Any]:
    """Makes the object of a case and returns it with the answers to its patches."""
    obj = case["object"]
    path = collection(f"{obj['apiVersion']}/{obj['kind'].lower()}s")
    made = server.ask("POST", path, obj)
    assert made["kind"] != "Status", made
    place = f"{path}/{obj['metadata']['name']}"
    found: dict[str, Any] = {"object": made}
    for form in FORMS:
        patches = case.get(form, {})
        found[form] = {
            name: server.ask("PATCH", f"{place}?dryRun=All", patch, CONTENT[form]) for name, patch in patches.items()
        }
    server.ask("PATCH", place, {"metadata": {"finalizers": None}}, CONTENT["merge"])
    server.ask("DELETE", place)
    return found


def main() -> None:
    """Records every case."""
    server = Server(Path(os.environ["KUBECONFIG"]))
    server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    found = {name: answers(server, case) for name, case in cases().items()}
    (HERE / "recorded.json").write_text(json.dumps(found, ensure_ascii=False, indent=0) + "\n")
    sys.stdout.write(f"{sum(len(case[form]) for case in found.values() for form in FORMS)} patches\n")


if __name__ == "__main__":
    main()
