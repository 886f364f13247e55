"""`corral attach`."""

from collections.abc import Sequence
from typing import Any

import click

from corral.surfaces.cli.connection import api_options
from corral.surfaces.cli.words.trainer_type import type_option


@click.command()
@click.argument("job")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND [ARGUMENT]...]")
@type_option
@click.option(
    "-i", "--instance", default="", metavar="POD", help="Another pod than the one that leads: its name or worker-0."
)
@click.option("--rank", type=click.IntRange(min=0), default=None, metavar="N", help="The pod of this rank.")
@click.option("-c", "--container", default="", metavar="NAME", help="Another container than the one that trains.")
@api_options
def attach(words: Sequence[str], **wished: Any) -> int:
    """Open a shell, or another command, inside of a job.

    \b
    corral attach digits
    corral attach digits -i digits-worker-0 -- bash
    echo 'nvidia-smi' | corral attach digits

    The command has a terminal when we have one. Its exit status is ours; leaving it does not touch the job.
    """
    from corral.control.desk.commands import Wish
    from corral.surfaces.cli.acts.live_command import run_live

    return run_live(Wish(**wished), words or ("sh",), takes_input=True, wants_terminal=True)
