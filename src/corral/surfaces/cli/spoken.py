"""Errors for people: what happened and why, then how to go on. For programs (`-o json`): one object a line."""

import json
from collections.abc import Sequence

import click

from corral.errors import BugError, CorralError, RetryError
from corral.surfaces.cli.mistyped import hint_for, message_of

_FORM = {"json": False}
"""How errors of this process are written. A usage error is told before any option was read, so the words decide."""


def speak_as_asked(words: Sequence[str]) -> None:
    """Lets errors be objects when a command line asks for JSON; words behind `--` belong to somebody else."""
    own = list(words[: words.index("--")] if "--" in words else words)
    pairs = zip(own, [*own[1:], ""], strict=False)  # no words at all are also words
    _FORM["json"] = any(
        word in ("-ojson", "-o=json", "--output=json") or (word in ("-o", "--output") and after == "json")
        for word, after in pairs
    )


def spoken(error: CorralError) -> str:
    """Returns an error in the form that was asked for."""
    hints = [error.hint] if error.hint else []
    if isinstance(error, BugError):
        hints.append(f"this is a fault of Corral itself ({error.code}); please report it with the lines above")
    return _written(error.code, error.message, hints, retryable=isinstance(error, RetryError))


def spoken_usage(error: click.ClickException) -> str:
    """Returns what is wrong with a command line, in the form that was asked for."""
    hint = hint_for(error) if isinstance(error, click.UsageError) else ""
    return _written("usage", message_of(error), [hint] if hint else [], retryable=False)


def _written(code: str, message: str, hints: Sequence[str], *, retryable: bool) -> str:
    if _FORM["json"]:
        fields = {"code": code, "message": message, "hint": "; ".join(hints), "retryable": retryable}
        return json.dumps({"error": fields}, ensure_ascii=False)
    return "\n".join([f"error: {message}", *(f"hint: {hint}" for hint in hints)])
