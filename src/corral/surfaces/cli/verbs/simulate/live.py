"""`corral simulate live`."""

from typing import Any

import click

from corral.surfaces.cli.acts.snapshots import say_what_if, taken_snapshot
from corral.surfaces.cli.connection import api_options
from corral.surfaces.cli.words.scheduler_names import schedulers_option
from corral.surfaces.cli.words.what_if import what_if_options


@click.command()
@what_if_options
@schedulers_option
@api_options
def live(schedulers: tuple[str, ...], **given: Any) -> None:
    """Show what a scheduler would make of the cluster as it is now, or if something were otherwise.

    \b
    corral simulate live
    corral simulate live --add-nodes 2 --like gpu-3
    corral simulate live --queue vision.guarantee.nvidia.com/gpu=8

    Nothing is changed on the cluster.
    """
    say_what_if(taken_snapshot(schedulers), given)
