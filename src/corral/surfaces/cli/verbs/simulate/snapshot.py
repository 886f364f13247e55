"""`corral simulate snapshot`."""

from pathlib import Path
from typing import Any

import click

from corral import assembly
from corral.surfaces.cli.acts.snapshots import say_what_if
from corral.surfaces.cli.words.what_if import what_if_options


@click.command()
@click.option(
    "-f",
    "--file",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What `corral simulate save` has written.",
)
@what_if_options
def snapshot(file: Path, **given: Any) -> None:
    """Show what a scheduler would make of a cluster that was saved, or if something were otherwise.

    \b
    corral simulate save cluster.json
    corral simulate snapshot -f cluster.json --without-node gpu-7
    corral simulate snapshot -f cluster.json --without-job team/bert -o json

    The same file, options and seeds give the same report, byte for byte.
    """
    say_what_if(assembly.read_snapshot(file), given)
