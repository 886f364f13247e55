"""Answers to the question of a shell: which words may stand where the cursor is."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import click
from click.shell_completion import CompletionItem, ShellComplete

from corral.errors import CorralError
from corral.surfaces.cli.speech.manner import MANNER

_FIT_TO_TYPE: Final = re.compile(r"[A-Za-z0-9._:/@=+,%-]+")
"""Words that mean themselves in every shell; a server could send others, and they are not for a command line."""


class Typed(NamedTuple):
    """The words before the one with the cursor, that word, and how much of it the shell keeps by itself."""

    before: list[str]
    current: str
    kept: str = ""


def answer(shell: str, asked: Sequence[str], root: click.Command) -> str:
    """Returns one line for each word that fits: its kind, the word, and what it is."""
    typed = _from_bash(asked) if shell == "bash" else Typed(list(asked[:-1]), asked[-1] if asked else "")
    lines = []
    for item in _items(root, typed):
        if item.type in ("file", "dir"):
            lines.append("file\t." if item.type == "file" else "folder\t.")
        elif _FIT_TO_TYPE.fullmatch(item.value):
            value = _joined(typed.current, item.value).removeprefix(typed.kept)
            lines.append(
                "\t".join(["plain", value, *([_one_line(item.help)] if item.help and shell != "bash" else [])])
            )
    return "\n".join(lines)


def _items(root: click.Command, typed: Typed) -> list[CompletionItem]:
    MANNER.completing = True
    try:
        return ShellComplete(root, {}, "corral", "").get_completions(list(typed.before), typed.current)
    except (CorralError, click.ClickException, OSError):
        return []  # somebody is typing: what is wrong with the line or the API is told when it is sent off


def _joined(current: str, value: str) -> str:
    """Returns the whole word: of `--output=js` only the value was completed."""
    option, equals, _ = current.partition("=")
    return f"{option}={value}" if equals and option.startswith("-") and not value.startswith("-") else value


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _from_bash(asked: Sequence[str]) -> Typed:
    """Returns the words of a line up to the cursor; bash breaks words also at signs like = and :, and keeps what is before."""
    line, breaks = (asked[0] if asked else ""), asked[1] if len(asked) > 1 else ""
    words = _split(line)
    current = words.pop() if words and not line[-1:].isspace() else ""
    at = max((current.rfind(sign) for sign in "=:@" if sign in breaks), default=-1)
    return Typed(words[1:], current, current[: at + 1])


def _split(line: str) -> list[str]:
    """Returns the words of a line that may end within quotes."""
    import shlex

    for closing in ("", '"', "'"):
        try:
            return shlex.split(line + closing)
        except ValueError:
            continue
    return line.split()
