"""`corral version`."""

import click

from corral import __version__


@click.command(help="Print the version.")
def version() -> None:
    """Prints the version of this package."""
    click.echo(f"corral {__version__}")
