"""Reading what `-f` names: a file, a folder of YAML files, or standard input."""

import os
import sys
from collections.abc import Iterable, Sequence

from corral.control.desk.manifests.reading import Manifest, Text, read_manifests, with_values
from corral.errors import CorralError, PermanentError
from corral.kinds.settings import read_setting
from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.speech.spoken import spoken

_ENDINGS = (".yaml", ".yml", ".json")
_MOST_BYTES = 64 * 1024 * 1024
"""What is longer is refused for its size, without having been read to its end."""


def manifests_in(names: Iterable[str], values: Sequence[str] = ()) -> list[Manifest]:
    """Returns the objects that files describe, with values set in them (`--set`).

    When anything is wrong with them, all of it is told, and nothing done.
    """
    settings = [read_setting(value) for value in values]
    texts: list[Text] = []
    problems: list[CorralError] = []
    for name in names:
        try:
            texts += [_text(path) for path in _paths(name)]
        except PermanentError as error:
            problems.append(error)
    reading = read_manifests(texts)
    problems += reading.problems
    if not problems and not reading.manifests:
        sources = ", ".join(text.source for text in texts)
        problems.append(PermanentError("unreadable-file", f"there is no object in {sources}"))
    if settings and not problems:
        reading = with_values(reading.manifests, settings)
        problems = reading.problems
    if problems:
        for problem in problems[:-1]:
            tell(spoken(problem))
        raise problems[-1]
    return reading.manifests


def _paths(name: str) -> list[str]:
    if not os.path.isdir(name):
        return [name]
    found = sorted(entry for entry in os.listdir(name) if entry.endswith(_ENDINGS) and not entry.startswith("."))
    if not found:
        raise PermanentError("unreadable-file", f"the folder {name} has no *.yaml, *.yml or *.json file")
    return [os.path.join(name, entry) for entry in found]


def _text(path: str) -> Text:
    if path == "-":
        return Text("standard input", sys.stdin.buffer.read(_MOST_BYTES))
    try:
        with open(path, "rb") as file:
            return Text(path, file.read(_MOST_BYTES))
    except OSError as error:
        hint = _near(path)
        raise PermanentError("unreadable-file", f"{path} cannot be read: {error.strerror}", hint=hint) from error


def _near(path: str) -> str:
    """Returns the hint with the file that a slip of the finger missed, "" when there is none."""
    from corral.control.desk.naming.suggestions import did_you_mean_file

    try:
        return did_you_mean_file(path, os.listdir(os.path.dirname(path) or "."))
    except OSError:
        return ""
