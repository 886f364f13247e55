"""Settings as text: the YAML of a user or a project, the lines of Arena, and what `corral use` keeps.

A file with one plain `name: value` on each line, which is what `corral config set` writes, is read without a YAML parser:
loading that takes longer than all the rest of a quick command.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from corral.control.settings.table import TRUTHS, Setting, checked, setting_named
from corral.errors import PermanentError

_BLANK = re.compile(r"\s*(#.*)?")
_PLAIN = re.compile(r"([a-z-]+): +([A-Za-z/~_.][A-Za-z0-9/~_.@,-]*) *")
_NO_TEXT = ("true", "false", "null", "~")
_ARENA_LINE = re.compile(r"\s*([A-Za-z_.-]+)\s*[=:]\s*(.*?)\s*")


class ArenaSettings(NamedTuple):
    """What Arena's file says: settings of ours, and remarks on what is not taken over."""

    values: Mapping[str, str]
    notes: tuple[str, ...]


def values_in(text: str, source: str, *, of_project: bool = False) -> dict[str, str]:
    """Returns the settings in a YAML text; what is unknown, misplaced or cannot be is an error with its place."""
    found: dict[str, str] = {}
    for name, value in _mapping(text, source).items():
        setting = setting_named(str(name), source)
        _refuse_misplaced(setting, source, of_project=of_project)
        found[setting.name] = checked(setting, _word(setting, value, source), source)
    return found


def _mapping(text: str, source: str) -> Mapping[str, Any]:
    if (flat := _flat(text)) is not None:
        return flat
    from corral.kinds.documents import load_document  # costs more than everything else on the way

    document = load_document(text, source=source)
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise PermanentError("bad-config", f"{source} is not a mapping of settings to values")
    return document


def _flat(text: str) -> dict[str, str] | None:
    """Returns the values of a text of plain lines, None when it needs a parser."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if _BLANK.fullmatch(line):
            continue
        plain = _PLAIN.fullmatch(line)
        if plain is None or plain[2].lower() in _NO_TEXT or plain[1] in found:
            return None
        found[plain[1]] = plain[2]
    return found


def _refuse_misplaced(setting: Setting, source: str, *, of_project: bool) -> None:
    if not setting.in_files:
        message = f"{source}: {setting.name} cannot be set in a file"
        raise PermanentError("bad-config", message, hint=f"set the variable {setting.variable}")
    if of_project and not setting.in_projects:
        message = f"{source}: {setting.name} cannot be set by a project"
        raise PermanentError("bad-config", message, hint=f"`corral config set {setting.name} VALUE` sets it for you")


def _word(setting: Setting, value: Any, source: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if setting.is_list and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    if isinstance(value, str | int):
        return str(value)
    raise PermanentError("bad-config", f"{source}: {setting.name} must be {'a list' if setting.is_list else 'text'}")


def with_value(text: str, setting: Setting, value: str, source: str) -> str:
    """Returns the text with one setting changed, or taken out by ""; other lines stay as they are."""
    _refuse_misplaced(setting, source, of_project=False)
    wanted = {**values_in(text, source), setting.name: value}
    wanted = {name: word for name, word in wanted.items() if word}
    line = f"{setting.name}: {_written(value)}\n" if value else ""
    kept = [one for one in text.splitlines(keepends=True) if not re.match(rf"{setting.name}\s*:", one)]
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    edited = "".join(kept) + line
    if _reads_as(edited, wanted, source):
        return edited
    # The value stood on several lines: the file is written anew, and only its comments are lost.
    return "".join(f"{name}: {_written(word)}\n" for name, word in wanted.items())


def _reads_as(text: str, wanted: Mapping[str, str], source: str) -> bool:
    try:
        return values_in(text, source) == wanted
    except PermanentError:
        return False


def _written(value: str) -> str:
    import json

    is_plain = _PLAIN.fullmatch(f"x: {value}") and value.lower() not in _NO_TEXT
    return value if is_plain or value in TRUTHS else json.dumps(value)


def arena_values(text: str) -> ArenaSettings:
    """Returns what Arena's file (`name = value` on each line) means here."""
    values: dict[str, str] = {}
    notes: list[str] = []
    for line in text.splitlines():
        found = _ARENA_LINE.fullmatch(line)
        if found is None or line.lstrip().startswith("#"):
            continue
        name, value = found[1], found[2].strip("\"'")
        if name in _TAKEN:
            values[_TAKEN[name]] = value
        elif name in _NOT_TAKEN or name.startswith("prometheus_"):
            notes.append(f"{name} is not taken over: {_NOT_TAKEN.get(name, _METRICS)}")
    return ArenaSettings(values, tuple(notes))


_TAKEN = {"namespace": "namespace", "imagePullSecrets": "image-pull-secrets"}
_NOT_TAKEN = {"tfjob_role_sequence": "give --role-sequence with each job, where it is seen"}
_METRICS = "figures do not come from Prometheus here"
