"""`corral down`."""

import click

from corral import assembly


@click.command()
def down() -> None:
    """Stop Corral on this machine; everything stored stays."""
    ended = assembly.stop_embedded(on_wait=lambda text: click.echo(text, err=True))
    click.echo(f"stopped {', '.join(ended)}" if ended else "Corral was not running")
