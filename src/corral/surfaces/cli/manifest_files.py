"""Reading what `-f` names: a file, a folder of YAML files, or standard input."""

import os
import sys
from collections.abc import Iterable, Iterator

from corral.control.desk.manifests import Text
from corral.errors import PermanentError

_ENDINGS = (".yaml", ".yml", ".json")


def read_files(names: Iterable[str]) -> Iterator[Text]:
    """Yields the text of every file, folders in the order of their names; `-` is standard input."""
    for name in names:
        if name == "-":
            yield Text("standard input", sys.stdin.buffer.read())
            continue
        for path in _paths(name):
            try:
                with open(path, "rb") as file:
                    yield Text(path, file.read())
            except OSError as error:
                raise PermanentError("unreadable-file", f"{path} cannot be read: {error.strerror}") from error


def _paths(name: str) -> list[str]:
    if not os.path.isdir(name):
        return [name]
    found = sorted(entry for entry in os.listdir(name) if entry.endswith(_ENDINGS) and not entry.startswith("."))
    if not found:
        raise PermanentError("unreadable-file", f"the folder {name} has no *.yaml, *.yml or *.json file")
    return [os.path.join(name, entry) for entry in found]
