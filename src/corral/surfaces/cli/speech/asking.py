"""Questions to the person at the terminal. Where nobody can be asked, a command fails and names the flag that answers."""

import sys

import click

from corral.surfaces.cli.speech.manner import MANNER
from corral.surfaces.cli.speech.mistyped import Mistyped


def answer_to(question: str, *, otherwise: str, flag: str) -> str:
    """Returns what somebody types; `otherwise` says what happens without an answer, and `flag` what answers it already."""
    if not may_ask():
        raise Mistyped(f"{otherwise}, and nobody can be asked", flag)
    return str(click.prompt(question, default="", show_default=False, err=True)).strip()


def is_agreed(question: str, *, otherwise: str, flag: str) -> bool:
    """Whether somebody says yes; whatever else is typed means no."""
    return answer_to(f"{question} [y/N]", otherwise=otherwise, flag=flag).lower() in ("y", "yes")


def may_ask() -> bool:
    """Whether there is somebody to ask who wants to be asked."""
    if MANNER.no_input or not sys.stdin.isatty():
        return False
    from corral import assembly  # somebody who is asked has time

    return assembly.read_settings().of("no-input").value != "true"
