"""How values are spelt in words: `A=b`, `claim:/path`, `key=value:NoSchedule,Equal`, `1h30m`.

Each function takes one text and returns what it means, or raises ValueError with a sentence that completes "--flag: ...".
Whether the parts are good names, paths and amounts is asked later, of the whole submission, by `faults`.
"""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from corral.kinds.submission.submission import ClaimMount, DirectoryMount, SecretValue, Toleration

EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
OPERATORS: Final = ("Equal", "Exists")
_TRUE: Final = ("1", "t", "T", "TRUE", "true", "True")
_FALSE: Final = ("0", "f", "F", "FALSE", "false", "False")
QUEUE_FORM: Final = r"[A-Za-z0-9][\w.-]*"
"""One plain word: what cannot be a name after all is better told than taken for a command."""
_MOST_DIGITS: Final = 9
_MILLIS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_TIME: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s|m|h|d)")
_TOLERATION: Final = re.compile(
    r"(?P<key>[^=:,]+)(?:=(?P<value>[^=:,]*))?:(?P<effect>[^=:,]*)(?:,(?P<operator>[^=:,]*))?"
)


def shown(text: str) -> str:
    """Returns a text in quotes, on one line and not too long, without anything that steers a terminal."""
    brief = text if len(text) <= 60 else text[:57] + "..."
    return "'" + "".join(one if one.isprintable() else repr(one)[1:-1] for one in brief) + "'"


def pair(text: str) -> tuple[str, str]:
    """Returns key and value of `key=value`; whatever stands behind the first `=` belongs to the value."""
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise ValueError(f"{shown(text)} is not of the form KEY=VALUE")
    return key, value


def count(text: str) -> int:
    """Returns a whole number that is not below zero."""
    if not re.fullmatch(r"[0-9]+", text, re.ASCII):
        raise ValueError(f"{shown(text)} is no whole number of 0 or more")
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"{shown(text)} is too large a number")
    return int(text)


def switch(text: str) -> bool:
    """Returns what `--flag=true` says."""
    if text not in (*_TRUE, *_FALSE):
        raise ValueError(f"{shown(text)} is neither true nor false")
    return text in _TRUE


def queue(text: str) -> bool | str:
    """Returns the name of a queue, or whether a job waits for kube-queue, which has none."""
    return text in _TRUE if text in (*_TRUE, *_FALSE) else text


def one_of(words: Sequence[str], text: str) -> str:
    """Returns one of a few words, as it is to be written; upper and lower case are the same."""
    found = next((word for word in words if word.lower() == text.lower()), None)
    if found is None:
        raise ValueError(f"{shown(text)} is none of {', '.join(words)}")
    return found


def seconds(text: str) -> int | None:
    """Returns a time such as 90s, 1h30m or 2d in seconds, rounded up; a bare number is seconds, and 0 means no limit."""
    if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        return int(text) or None
    parts = _TIME.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"{shown(text)} is no time: write it as 90s, 10m, 1h30m or 2d")
    # Rounded up, since a limit of 400ms that became none would be the opposite of what was asked.
    return math.ceil(sum(Fraction(number) * _MILLIS[unit] for number, unit in parts) / 1000) or None


def toleration(text: str) -> Toleration:
    """Returns `all`, `key=value:effect,operator`, `key=value:effect` or `key:effect` as a toleration."""
    if text == "all":
        return Toleration(operator="Exists")
    found = _TOLERATION.fullmatch(text)
    if found is None:
        raise ValueError(f"{shown(text)} is not of the form key=value:effect,operator, and not all")
    effect, value = found["effect"], found["value"] or ""
    operator = (
        found["operator"] if found["operator"] is not None else "Equal" if found["value"] is not None else "Exists"
    )
    if effect not in EFFECTS:
        raise ValueError(f"{shown(effect)} is no effect: {', '.join(EFFECTS)}")
    if operator not in OPERATORS:
        raise ValueError(f"{shown(operator)} is no operator: {', '.join(OPERATORS)}")
    if operator == "Exists" and value:
        raise ValueError(f"{shown(text)} gives a value, but Exists takes any: write Equal, or leave out the value")
    return Toleration(key=found["key"], operator=operator, value=value, effect=effect)  # type: ignore[arg-type]


def claim(text: str) -> ClaimMount:
    """Returns `claim:/path`."""
    name, sign, path = text.partition(":")
    if not sign or not name or not path:
        raise ValueError(f"{shown(text)} is not of the form CLAIM:/PATH")
    return ClaimMount(name, path)


def directory(text: str) -> DirectoryMount:
    """Returns `/host/path` or `/host/path:/path`."""
    host, sign, path = text.partition(":")
    if not host or (sign and not path):
        raise ValueError(f"{shown(text)} is not of the form /PATH or /PATH:/PATH-IN-CONTAINER")
    return DirectoryMount(host, path or host)


def secret_value(text: str) -> SecretValue:
    """Returns `NAME=secret` or `NAME=secret:key`; without a key it is the name of the variable."""
    name, reference = pair(text)
    secret, _, key = reference.partition(":")
    if not secret:
        raise ValueError(f"{shown(text)} is not of the form NAME=SECRET or NAME=SECRET:KEY")
    return SecretValue(name, secret, key or name)


def processes(text: str) -> str:
    """Returns a number of processes for each node: auto, cpu, gpu, or a number."""
    if text in ("auto", "cpu", "gpu"):
        return text
    if not re.fullmatch(r"[1-9][0-9]{0,5}", text, re.ASCII):
        raise ValueError(f"{shown(text)} is none of auto, cpu, gpu and a whole number")
    return text


def success_policy(text: str) -> str:
    """Returns whose success counts, as a TFJob writes it: nothing means the chief, or the first worker."""
    return "" if one_of(("ChiefWorker", "AllWorkers"), text) == "ChiefWorker" else "AllWorkers"
