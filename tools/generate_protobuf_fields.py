"""Writes the field numbers of the built-in kinds, so that clients which send protobuf bodies are understood.

Usage: python tools/generate_protobuf_fields.py MODULES

MODULES is the folder of Go modules that holds `api@VERSION` and `apimachinery@VERSION` (`make kubernetes` fills it).
Numbers and names are facts of the wire format; nothing else is taken. A field that the OpenAPI structure does not know
is an embedded struct, whose own fields JSON shows in its place.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).parent.parent / "src/corral/engine/apiserver/schema"
PACKAGE = re.compile(r"^package ([\w.]+);", re.M)
MESSAGE = re.compile(r"^message (\w+) \{\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^  (optional|repeated|map<string, ([\w.]+)>) ?([\w.]*?) ?(\w+) = (\d+);", re.M)
SCALARS = {"string", "bool", "bytes", "int32", "int64", "uint32", "uint64", "double"}
ROOTS = ("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",)
Field = tuple[int, str, str, str]


def main(modules: Path) -> None:
    """Reads every generated.proto below the modules and writes protobuf.json."""
    messages: dict[str, list[Field]] = {}
    for module in ("api@v0.34.2", "apimachinery@v0.34.2"):
        for file in sorted((modules / module).rglob("generated.proto")):
            messages.update(messages_in(file.read_text()))
    structure = json.loads((SCHEMAS / "builtin.json").read_text())
    wanted = reachable(messages, {*structure["kinds"].values(), *ROOTS})
    made = {name: [marked(name, f, structure["definitions"]) for f in messages[name]] for name in sorted(wanted)}
    text = json.dumps(made, separators=(",", ":")).replace("]],", "]],\n")
    (SCHEMAS / "protobuf.json").write_text(text + "\n")
    print(f"{len(made)} messages")


def messages_in(text: str) -> dict[str, list[Field]]:
    """Returns the fields of each message of one file, by the OpenAPI name of the message."""
    found = PACKAGE.search(text)
    assert found is not None
    package = openapi_name(found[1])
    return {
        f"{package}.{message[1]}": [field_of(package, f) for f in FIELD.finditer(message[2])]
        for message in MESSAGE.finditer(text)
    }


def field_of(package: str, found: re.Match[str]) -> Field:
    """Returns number, name, type and form ("" one, "*" list, "map")."""
    label, value, single, name, number = found.groups()
    kind = value or single
    if kind.startswith("."):
        kind = openapi_name(kind[1:])
    elif kind not in SCALARS:
        kind = f"{package}.{kind}"
    return int(number), name, kind, {"optional": "", "repeated": "*"}.get(label, "map")


def openapi_name(package: str) -> str:
    """Returns the OpenAPI spelling of a protobuf package: k8s.io.api.core.v1 is io.k8s.api.core.v1."""
    return re.sub(r"^k8s\.io\.", "io.k8s.", package)


def reachable(messages: dict[str, list[Field]], roots: set[str]) -> set[str]:
    """Returns the names of all messages that the roots lead to."""
    found: set[str] = set()
    waiting = [name for name in roots if name in messages]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [kind for _, _, kind, _ in messages[name] if kind in messages]
    return found


def marked(message: str, field: Field, definitions: dict[str, Any]) -> Field:
    """Returns the field with the form "<" when JSON shows its content in place of itself."""
    number, name, kind, form = field
    properties = definitions.get(message, {}).get("properties")
    is_embedded = properties is not None and name not in properties and not form and kind not in SCALARS
    return number, name, kind, "<" if is_embedded else form


if __name__ == "__main__":
    main(Path(sys.argv[1]))
