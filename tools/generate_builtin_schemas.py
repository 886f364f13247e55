"""Writes the structure of built-in kinds, as a real Kubernetes server publishes it, into the package.

    python -m tools.generate_builtin_schemas --kubeconfig FILE [--kubectl PATH] [--go-modules DIR]
    python -m tools.generate_builtin_schemas --directory DIR [--go-modules DIR]

The input is OpenAPI v3: of a live server, through kubectl, or of a directory of documents. Kept are types, formats,
references, list and map markers, patch markers, defaults and enums; descriptions are dropped. OpenAPI does not tell
whether a Go field is a pointer or is left out when empty, and the wire shows it, so those facts are read from the Go
declarations below `--go-modules` (the `k8s.io` folder of a module cache); without it the ones already in the file stay.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tools.go_declarations import facts_of

OUTPUT = Path(__file__).resolve().parent.parent / "src/corral/engine/apiserver/schema/builtin.json"
DEFINITIONS = "#/components/schemas/"
META = "io.k8s.apimachinery.pkg.apis.meta.v1."

KINDS = {
    "v1": "Namespace Pod Binding PodTemplate Service Endpoints ConfigMap Secret ServiceAccount Node Event "
    "PersistentVolumeClaim PersistentVolume",
    "apps/v1": "Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision",
    "batch/v1": "Job CronJob",
    "autoscaling/v1": "HorizontalPodAutoscaler Scale",
    "autoscaling/v2": "HorizontalPodAutoscaler",
    "policy/v1": "Eviction PodDisruptionBudget",
    "events.k8s.io/v1": "Event",
    "coordination.k8s.io/v1": "Lease",
    "scheduling.k8s.io/v1": "PriorityClass",
    "rbac.authorization.k8s.io/v1": "Role ClusterRole RoleBinding ClusterRoleBinding",
    "apiextensions.k8s.io/v1": "CustomResourceDefinition",
    "authentication.k8s.io/v1": "TokenRequest TokenReview SelfSubjectReview",
    "authorization.k8s.io/v1": "SelfSubjectAccessReview SubjectAccessReview LocalSubjectAccessReview "
    "SelfSubjectRulesReview",
}
"""The kinds whose structure the embedded server needs, and with them everything that they refer to."""

EXTRA = ("DeleteOptions", "Status", "Patch", "WatchEvent", "APIResourceList", "APIGroup", "APIGroupList", "APIVersions")
"""Definitions of the API machinery that paths refer to."""

KEPT = frozenset(
    {
        "type format default enum required properties items additionalProperties allOf oneOf $ref nullable",
        "x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-patch-strategy",
        "x-kubernetes-patch-merge-key x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource x-kubernetes-group-version-kind x-kubernetes-unions",
    }
)
KEYWORDS = frozenset(word for line in KEPT for word in line.split())


def main() -> int:
    """Reads the documents, keeps what is reachable, and writes the file."""
    options = _options()
    documents = _from_directory(options.directory) if options.directory else _from_server(options)
    known: dict[str, Any] = {}
    for document in documents:
        known.update(document.get("components", {}).get("schemas", {}))
    kinds = _kinds(known)
    definitions = _reachable(known, [*kinds.values(), *(META + name for name in EXTRA)])
    if options.go_modules:
        facts = facts_of(definitions, options.go_modules)
    else:
        facts = json.loads(OUTPUT.read_text())["go"] if OUTPUT.exists() else {}
    content = {"kinds": kinds, "go": facts, "definitions": definitions}
    OUTPUT.write_text(_one_definition_a_line(content))
    print(f"{OUTPUT.name}: {len(kinds)} kinds, {len(definitions)} definitions, {OUTPUT.stat().st_size // 1024} KiB")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--kubeconfig", help="of a live server, asked through kubectl")
    source.add_argument("--server", help="URL of a live server, with --token")
    source.add_argument("--directory", type=Path, help="with OpenAPI v3 documents, one JSON file each")
    parser.add_argument("--token", default="", help="bearer token for --server")
    parser.add_argument("--kubectl", default="kubectl")
    parser.add_argument("--go-modules", type=Path, help="the k8s.io folder of a Go module cache")
    return parser.parse_args()


def _from_directory(directory: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(directory.rglob("*.json")):
        document = json.loads(path.read_text())
        if isinstance(document, dict) and str(document.get("openapi", "")).startswith("3."):
            yield document


def _from_server(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    if options.kubeconfig:
        access = ["--kubeconfig", options.kubeconfig]
    else:
        access = ["--server", options.server, "--token", options.token, "--insecure-skip-tls-verify"]
    index = _get(options.kubectl, access, "/openapi/v3")
    for api_version in KINDS:
        path = f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"
        yield _get(options.kubectl, access, index["paths"][path]["serverRelativeURL"])


def _get(kubectl: str, access: list[str], path: str) -> dict[str, Any]:
    answer = subprocess.run([kubectl, *access, "get", "--raw", path], check=True, capture_output=True)
    document: dict[str, Any] = json.loads(answer.stdout)
    return document


def _kinds(known: dict[str, Any]) -> dict[str, str]:
    """Returns the definition of each wanted kind and of its list, by `apiVersion/kind`."""
    wanted = {
        f"{api_version}/{kind}{suffix}"
        for api_version, kinds in KINDS.items()
        for kind in kinds.split()
        for suffix in ("", "List")
    }
    found = {
        f"{_api_version(gvk)}/{gvk['kind']}": name
        for name, schema in sorted(known.items())
        for gvk in schema.get("x-kubernetes-group-version-kind", ())
        if f"{_api_version(gvk)}/{gvk['kind']}" in wanted
    }
    missing = sorted(key for key in wanted - found.keys() if not key.endswith("List"))
    if missing:
        sys.exit(f"the documents do not describe: {', '.join(missing)}")
    return found


def _reachable(known: dict[str, Any], roots: Iterable[str]) -> dict[str, Any]:
    reached: dict[str, Any] = {}
    pending = list(roots)
    while pending:
        name = pending.pop()
        if name not in reached and name in known:
            reached[name] = _bare(known[name])
            pending.extend(_references(reached[name]))
    return dict(sorted(reached.items()))


def _bare(schema: Any) -> Any:
    """Returns a schema without prose; names inside `properties` are no keywords and stay."""
    if not isinstance(schema, dict):
        return schema
    bare: dict[str, Any] = {}
    for key, value in schema.items():
        if key not in KEYWORDS:
            continue
        if key == "properties":
            bare[key] = {name: _bare(child) for name, child in value.items()}
        elif key in ("items", "additionalProperties"):
            bare[key] = _bare(value)
        elif key in ("allOf", "oneOf"):
            bare[key] = [_bare(option) for option in value]
        elif key == "x-kubernetes-group-version-kind":
            bare[key] = [gvk for gvk in value if _api_version(gvk) in KINDS]
        else:
            bare[key] = value
    return bare


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str):
                yield value.removeprefix(DEFINITIONS)
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)


def _api_version(gvk: dict[str, str]) -> str:
    return f"{gvk['group']}/{gvk['version']}" if gvk["group"] else gvk["version"]


def _one_definition_a_line(content: dict[str, Any]) -> str:
    """Returns compact JSON with one definition a line, so that a change of release is a readable diff."""
    parts = []
    for section, entries in content.items():
        lines = ",\n".join(f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in entries.items())
        parts.append(f"{json.dumps(section)}:{{\n{lines}\n}}")
    return "{" + ",\n".join(parts) + "}\n"


if __name__ == "__main__":
    sys.exit(main())
