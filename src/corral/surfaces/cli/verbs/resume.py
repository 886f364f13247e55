"""`corral resume`."""

import click

from corral.surfaces.cli.connection import api_options
from corral.surfaces.cli.words.trainer_type import type_option


@click.command()
@click.argument("jobs", nargs=-1, required=True, metavar="JOB...")
@type_option
@api_options
def resume(jobs: tuple[str, ...], trainer: str) -> int:
    """Let suspended jobs go on; they get new pods.

    \b
    corral resume digits

    A job that is not suspended stays as it is.
    """
    from corral.surfaces.cli.acts.suspension import turn

    return turn(jobs, trainer, suspended=False)
