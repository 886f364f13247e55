"""The samples of the matrix: for each kind, the few objects that its cells send."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Object = dict[str, Any]

FILE = Path(__file__).parent / "samples.yaml"


@dataclass(frozen=True)
class Sample:
    """What the matrix sends of one kind."""

    api_version: str
    kind: str
    names: str
    object: Object
    change: Object
    contest: Object
    status: Object
    settled: dict[str, Any]
    """What a real server has added to an object a moment after a write, as paths and values."""
    left_out: dict[str, str]
    """Cells that cannot be played, with the reason."""

    def name(self, letter: str) -> str:
        """Returns the name of one of the samples."""
        return self.names.replace("@", letter)

    def made(self, letter: str) -> Object:
        """Returns one of the samples, whole."""
        meta = {"name": self.name(letter), "labels": {"story": "{ns}", "name": letter}}
        made: Object = {"apiVersion": self.api_version, "kind": self.kind, "metadata": meta}
        made.update(_lettered(self.object, letter))
        return made

    def sent(self, words: str) -> Any:
        """Returns what `$words` stands for in a cell."""
        letter, _, rest = words.partition(" ")
        if letter == "absent":
            letter = "z"
        if len(letter) == 1:
            return self._variant(self.made(letter), rest, letter)
        return self._special(letter, rest)

    def _variant(self, obj: Object, words: str, letter: str) -> Any:
        if words == "as YAML":
            return yaml.safe_dump(obj)
        changes: dict[str, Object] = {
            "": {},
            "changed": _lettered(self.change, letter),
            "unknown": {"unknownField": 1},
            "contested": self.contest,
        }
        if words == "bare":
            return {k: v for k, v in obj.items() if k in ("apiVersion", "kind")} | {
                "metadata": {"name": self.name(letter)}
            }
        return merged(obj, changes[words])

    def _special(self, word: str, rest: str) -> Any:
        a = self.made("a")
        match word, rest:
            case "generated", _:
                return merged(a, {"metadata": {"name": None, "generateName": f"{self.name('g')}-"}})
            case "unknown", _:
                return merged(a, {"unknownField": 1, "metadata": {"name": self.name("u"), "unknownToo": {}}})
            case "nonsense", _:
                return {"apiVersion": "example.com/v1", "kind": "Nonsense", "metadata": {"name": "n"}}
            case "versioned", _:
                return merged(a, {"metadata": {"name": self.name("v"), "resourceVersion": "7"}})
            case "nameless", _:
                return merged(a, {"metadata": {"name": None}})
            case "misnamed", _:
                return merged(a, {"metadata": {"name": "Bad_Näme/1"}})
            case "mislabelled", _:
                return merged(a, {"metadata": {"name": self.name("l"), "labels": {"-bad": "also bad!"}}})
            case "changed", _:
                return merged(merged(a, _lettered(self.change, "a")), {"metadata": {"resourceVersion": "{version}"}})
            case "stale", _:
                return merged(a, {"metadata": {"resourceVersion": "1"}})
            case "foreign", _:
                return merged(a, {"metadata": {"uid": "00000000-0000-4000-8000-000000000000"}})
            case "status", "":
                return merged(a, {"status": self.status, "metadata": {"labels": {"sneaked": "in"}}})
            case "status", "patch":
                return {"status": self.status}
            case "status", "apply":
                return {"apiVersion": self.api_version, "kind": self.kind, "status": self.status}
        raise ValueError(f"a cell sends ${word} {rest}, which nobody makes")


@cache
def samples() -> dict[tuple[str, str], Sample]:
    """Returns the samples by apiVersion and kind."""
    made = {}
    for found in yaml.safe_load(FILE.read_text()):
        version = found.get("apiVersion") or _VERSIONS.get(found["kind"], "v1")
        made[(version, found["kind"])] = Sample(
            version,
            found["kind"],
            found.get("names", "@"),
            found["object"],
            found["change"],
            found["contest"],
            found.get("status", {}),
            found.get("settled", {}),
            found.get("left_out", {}),
        )
    return made


_VERSIONS = {
    "Lease": "coordination.k8s.io/v1",
    "PriorityClass": "scheduling.k8s.io/v1",
    "Deployment": "apps/v1",
    "ReplicaSet": "apps/v1",
    "Job": "batch/v1",
    "Role": "rbac.authorization.k8s.io/v1",
    "RoleBinding": "rbac.authorization.k8s.io/v1",
    "ClusterRole": "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
}


def merged(obj: Object, patch: Object) -> Object:
    """Returns an object with a merge patch applied; the suite must not borrow the server's own."""
    made = dict(obj)
    for key, value in patch.items():
        if value is None:
            made.pop(key, None)
        elif isinstance(value, dict) and isinstance(made.get(key), dict):
            made[key] = merged(made[key], value)
        else:
            made[key] = value
    return made


def _lettered(value: Any, letter: str) -> Any:
    if isinstance(value, str):
        return value.replace("@", letter)
    if isinstance(value, list):
        return [_lettered(item, letter) for item in value]
    if isinstance(value, dict):
        return {key: _lettered(item, letter) for key, item in value.items()}
    return value
