"""Writing answers: harmless on a terminal, as they are into a file or a pipe."""

import sys

import click

from corral.surfaces.cli.render.harmless import harmless


def say(text: str, *, end: str = "\n") -> None:
    """Writes an answer to stdout."""
    click.echo((harmless(text) if sys.stdout.isatty() else text) + end, nl=False)


def say_painted(text: str) -> None:
    """Writes an answer whose parts were made harmless before they were coloured."""
    click.echo(text, color=True)


def tell(text: str) -> None:
    """Writes a remark to stderr."""
    click.echo(harmless(text) if sys.stderr.isatty() else text, err=True)
