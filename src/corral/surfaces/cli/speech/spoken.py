"""Errors for people: what happened and why, then how to go on. For programs (`-o json`): one object a line."""

from collections.abc import Sequence

import click

from corral.errors import BugError, CorralError, RetryError
from corral.surfaces.cli.speech.harmless import harmless
from corral.surfaces.cli.speech.manner import MANNER
from corral.surfaces.cli.speech.mistyped import hint_for, message_of


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
    """Returns an error in the form that was asked for; what others wrote into it cannot steer a terminal."""
    if MANNER.json_errors:
        import json  # only errors for programs need it

        fields = {"code": code, "message": message, "hint": "; ".join(hints), "retryable": retryable}
        return json.dumps({"error": fields}, ensure_ascii=not message.isprintable())
    return "\n".join([f"error: {_one_line(message)}", *(f"hint: {_one_line(hint)}" for hint in hints)])


def _one_line(text: str) -> str:
    """Returns a text as one line that can be written anywhere, also when it holds bytes that are no text."""
    told = harmless(" ".join(line.strip() for line in text.splitlines()))
    return told.encode("utf-8", "backslashreplace").decode()
