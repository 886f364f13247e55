"""Answers to early manifests that cannot be read as what they mean: each says exactly what to write instead."""

import msgspec

from corral.kinds.objects import Object
from corral.kinds.training.early_dialects import LINES, containers_of, split_line
from corral.kinds.training.validation.field_error import FieldError, invalid

_EXAMPLES = {"command": ["python", "train.py"], "args": ["--epochs", "10"]}


def early_errors(obj: Object) -> list[FieldError]:
    """Returns what is wrong with commands that are written as one text and need a shell."""
    found = []
    for path, container in containers_of(obj.get("spec")):
        for field in LINES:
            line = container.get(field)
            if line is not None and not _is_readable(line):
                found.append(invalid(f"{path}.{field}", line, _advice(field, line, container)))
    return found


def _is_readable(line: object) -> bool:
    if isinstance(line, str):
        return split_line(line) is not None
    return isinstance(line, list) and all(isinstance(word, str) for word in line)


def _advice(field: str, line: object, container: Object) -> str:
    if not isinstance(line, str):
        return f"must be a list of strings, such as {field}: {_shown(_EXAMPLES[field])}"
    if field == "args" and container.get("command"):
        return f"needs a shell to be read; write a list of strings, such as args: {_shown(line.split())}"
    return f"needs a shell to run; write command: {_shown(['sh', '-c', line])}"


def _shown(words: list[str]) -> str:
    return "[" + ", ".join(msgspec.json.encode(word).decode() for word in words) + "]"
