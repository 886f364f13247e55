"""`corral suspend`."""

import click

from corral.surfaces.cli.connection import api_options
from corral.surfaces.cli.words.trainer_type import type_option


@click.command()
@click.argument("jobs", nargs=-1, required=True, metavar="JOB...")
@type_option
@api_options
def suspend(jobs: tuple[str, ...], trainer: str) -> int:
    """Take the pods from jobs, until they are resumed.

    \b
    corral suspend digits
    corral suspend digits pytorchjob/faces -n vision

    What a program wants to keep it must have saved: its pods are ended as by a deletion. A job that is suspended already
    stays so.
    """
    from corral.surfaces.cli.acts.suspension import turn

    return turn(jobs, trainer, suspended=True)
