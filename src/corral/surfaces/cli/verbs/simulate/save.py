"""`corral simulate save`."""

from pathlib import Path

import click

from corral import assembly
from corral.surfaces.cli.acts.snapshots import taken_snapshot
from corral.surfaces.cli.connection import api_options
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.words.scheduler_names import schedulers_option


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="-")
@schedulers_option
@api_options
def save(file: Path, schedulers: tuple[str, ...]) -> None:
    """Save what a scheduler reads of a cluster as JSON: nodes, pods, groups, queues, how long jobs ran.

    \b
    corral simulate save cluster.json
    corral simulate save > cluster.json

    No command, variable, image or message is in it, and of annotations only the words of scheduling. Names and labels stay.
    """
    snapshot = taken_snapshot(schedulers)
    if str(file) == "-":
        say(assembly.snapshot_text(snapshot), end="")
        return
    assembly.write_snapshot(snapshot, file)
    tell(f"{file}: {len(snapshot.nodes)} nodes, {len(snapshot.pods)} pods, {len(snapshot.queues)} queues")
