"""Reads the facts about Go fields that OpenAPI leaves out, from the type declarations of Kubernetes' Go modules.

Two of them are visible on the wire: a pointer keeps a zero value that was sent (`replicas: 0`), where a plain field
that may be left out loses it; and the error of a wrong type names the Go type (`v1.PodPhase`).
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PACKAGES = {
    "io.k8s.api.": "api@*/{}",
    "io.k8s.apimachinery.": "apimachinery@*/{}",
    "io.k8s.apiextensions-apiserver.": "apiextensions-apiserver@*/{}",
}
_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r'^\t(?:(\w+) +)?(\S+) +`.*?json:"([^"]*)"', re.MULTILINE)
_SCALARS = frozenset({"string", "bool", "int", "int32", "int64", "float64"})


def facts_of(definitions: Mapping[str, Any], modules: Path) -> dict[str, dict[str, Any]]:
    """Returns, by definition, which fields may be absent and keep zeros, which are never left out, and their types."""
    facts: dict[str, dict[str, Any]] = {}
    for name, schema in definitions.items():
        fields = _fields_of(name, modules)
        properties = schema.get("properties", {})
        pointers = [key for key, go_type, options in fields if go_type.startswith("*") or "omitzero" in options]
        kept = [key for key, _, options in fields if "omitempty" not in options and key not in pointers]
        named = {
            key: _qualified(go_type, name)
            for key, go_type, _ in fields
            if _is_named(go_type) and key in properties and not _refers(properties[key])
        }
        entry = {"pointers": pointers, "kept": kept, "named": named}
        if any(entry.values()):
            facts[name] = {key: value for key, value in entry.items() if value}
    return facts


def _refers(schema: Any) -> bool:
    """Whether a property, or what its list holds, is a definition, whose name tells the Go type already."""
    return "$ref" in schema or "allOf" in schema or ("items" in schema and _refers(schema["items"]))


def _fields_of(definition: str, modules: Path) -> list[tuple[str, str, list[str]]]:
    """Returns (JSON name, Go type, JSON options) of each field of a definition's struct."""
    package, _, struct = definition.rpartition(".")
    fields = []
    for body in _bodies(package, struct, modules):
        for match in _FIELD.finditer(body):
            key, *options = match[3].split(",")
            if key and key != "-":
                fields.append((key, match[2], options))
    return fields


def _bodies(package: str, struct: str, modules: Path) -> list[str]:
    for prefix, place in PACKAGES.items():
        if package.startswith(prefix):
            folder = place.format(package.removeprefix(prefix).replace(".", "/"))
            return [
                match[2]
                for path in sorted(modules.glob(folder + "/types*.go"))
                for match in _STRUCT.finditer(path.read_text())
                if match[1] == struct
            ]
    return []


def _is_named(go_type: str) -> bool:
    """Whether a type has its own name, like `PodPhase`, `types.UID` or `[]Finalizer`."""
    bare = go_type.lstrip("*[]")
    return bare not in _SCALARS and not bare.startswith(("map[", "interface"))


def _qualified(go_type: str, definition: str) -> str:
    bare = go_type.removeprefix("*")
    slices = bare[: len(bare) - len(bare.lstrip("[]*"))]
    named = bare.lstrip("[]*")
    if "." in named:
        package, _, named = named.partition(".")
        return f"{slices}{ {'metav1': 'v1'}.get(package, package) }.{named}"
    return f"{slices}{definition.split('.')[-2]}.{named}"
