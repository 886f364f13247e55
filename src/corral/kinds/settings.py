"""`--set PATH=VALUE`: single values in objects, changed by their path. Pure.

    spec.runPolicy.backoffLimit=3                      a number; true, false and text likewise, as in YAML
    spec.x.template.spec.containers[0].image=a:b       the first of a list; the place behind the last one adds to it
    metadata.annotations["corral.dev/team"]=vision     a key with dots in quotes, or with a backslash before each dot
    spec.x.args=["--lr", "0.1"]                        lists, mappings and quoted text are YAML
    metadata.labels.team=null                          is taken away
    PyTorchJob:spec.nprocPerNode=2                     only in objects of this kind

Mappings that are missing on the way are made; whatever else stands in the way is an error that names its path.
"""

import re
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from corral.errors import PermanentError
from corral.kinds.documents import DocumentError, load_document, plain_value
from corral.kinds.objects import Object

Step = str | int
"""One step of a path: a key of a mapping, or a place in a list."""

_KIND = re.compile(r"([A-Za-z][A-Za-z0-9]*):")
_KEY = re.compile(r"(?:[^\s.\[\]=\\'\"]|\\.)+")
_PLAIN_KEY = re.compile(r"[^\s.\[\]=\\'\":]+")
_PLACE = re.compile(r"\[([0-9]{1,6})\]")
_QUOTED = re.compile(r"""\[(?:"([^"]+)"|'([^']+)')\]""")


class Setting(NamedTuple):
    """One value for one place; None takes away what is there."""

    path: tuple[Step, ...]
    value: Any
    kind: str = ""
    """Only in objects of this kind, whatever the case of its letters; "" is every kind."""

    def is_for(self, obj: Object) -> bool:
        """Whether it is meant for an object."""
        return not self.kind or self.kind.lower() == str(obj.get("kind", "")).lower()

    def __str__(self) -> str:
        return f"{self.kind}:{shown_path(self.path)}" if self.kind else shown_path(self.path)


def read_setting(text: str) -> Setting:
    """Returns what `PATH=VALUE` asks for."""
    kind = _KIND.match(text)
    at = kind.end() if kind else 0
    path, at = _path(text, at)
    if not path or text[at : at + 1] != "=":
        raise _bad(text, "write it as PATH=VALUE, such as spec.runPolicy.backoffLimit=3")
    return Setting(tuple(path), _value(text, text[at + 1 :]), kind[1] if kind else "")


def with_settings(obj: Object, settings: Sequence[Setting]) -> Object:
    """Returns the object with all settings that are meant for it, one after the other; the object itself stays as it is."""
    changed: Object = deepcopy(obj)
    for setting in settings:
        if setting.is_for(changed):
            _set(changed, setting)
    return changed


def shown_path(path: Sequence[Step]) -> str:
    """Returns a path the way it is typed."""
    parts = [_shown_step(step) for step in path]
    return "".join(part if not at or part.startswith("[") else f".{part}" for at, part in enumerate(parts))


def _shown_step(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return step if _PLAIN_KEY.fullmatch(step) else f'["{step}"]'


def _path(text: str, at: int) -> tuple[list[Step], int]:
    """Returns the steps that begin at a place of the text, and where they end."""
    steps: list[Step] = []
    while True:
        if found := _QUOTED.match(text, at):
            steps.append(found[1] or found[2])
        elif found := _PLACE.match(text, at):
            steps.append(int(found[1]))
        elif (found := _KEY.match(text, at)) and (not steps or text[at - 1] == "."):
            steps.append(re.sub(r"\\(.)", r"\1", found[0]))
        else:
            return ([], at) if text[at - 1 : at] == "." else (steps, at)
        at = found.end()
        if text[at : at + 1] == ".":
            at += 1


def _value(text: str, written: str) -> Any:
    """Returns the value: a plain scalar as YAML reads it, and real YAML only behind a bracket or a quote.

    Blanks, colons and number signs are part of a plain value: `command=echo a: b # c` is one text.
    """
    if not written:
        return ""
    try:
        return load_document(written) if written[0] in "[{\"'" else plain_value(written)
    except (DocumentError, ValueError) as error:
        raise _bad(text, f"its value is not YAML: {error}") from error


def _bad(text: str, why: str) -> PermanentError:
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    return PermanentError("bad-setting", f"{shown!r} cannot be set: {why}")


def _set(obj: Object, setting: Setting) -> None:
    holder: Any = obj
    *way, last = setting.path
    for at, step in enumerate(way):
        following = setting.path[at + 1]
        found = _found(holder, step, setting, at)
        if found is None:
            if setting.value is None:
                return  # what is not there need not be taken away
            found = {} if isinstance(following, str) else []
            _put(holder, step, found, setting, at)
        holder = found
    if setting.value is None:
        _take(holder, last, setting)
    else:
        _put(holder, last, deepcopy(setting.value), setting, len(way))


def _found(holder: Any, step: Step, setting: Setting, at: int) -> Any:
    """Returns what is there, None when nothing is."""
    _refuse_misfit(holder, step, setting, at)
    if isinstance(step, int):
        return holder[step] if step < len(holder) else None
    return holder.get(step)


def _put(holder: Any, step: Step, value: Any, setting: Setting, at: int) -> None:
    _refuse_misfit(holder, step, setting, at)
    if isinstance(step, str) or step < len(holder):
        holder[step] = value
    elif step == len(holder):
        holder.append(value)
    else:
        raise _misfit(setting, at, f"has {len(holder)} entries, so the next one is [{len(holder)}]")


def _take(holder: Any, step: Step, setting: Setting) -> None:
    if _found(holder, step, setting, len(setting.path) - 1) is None and isinstance(step, int):
        return
    if isinstance(step, int):
        del holder[step]
    else:
        holder.pop(step, None)


def _refuse_misfit(holder: Any, step: Step, setting: Setting, at: int) -> None:
    if isinstance(step, int) and not isinstance(holder, list):
        raise _misfit(setting, at, f"is {_named(holder)}, not a list")
    if isinstance(step, str) and not isinstance(holder, dict):
        raise _misfit(setting, at, f"is {_named(holder)}, not a mapping")


def _misfit(setting: Setting, at: int, why: str) -> PermanentError:
    where = shown_path(setting.path[:at]) or "the object"
    return PermanentError("bad-setting", f"{setting} cannot be set: {where} {why}")


def _named(value: Any) -> str:
    names = {dict: "a mapping", list: "a list", str: "text", bool: "a truth value"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "a number")
