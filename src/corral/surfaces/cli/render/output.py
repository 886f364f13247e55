"""Writing answers: harmless on a terminal, as they are into a file or a pipe."""

import sys

import click

from corral.surfaces.cli.render.harmless import harmless


def say(text: str) -> None:
    """Writes an answer to stdout."""
    click.echo(harmless(text) if sys.stdout.isatty() else text)


def tell(text: str) -> None:
    """Writes a remark to stderr."""
    click.echo(harmless(text) if sys.stderr.isatty() else text, err=True)
