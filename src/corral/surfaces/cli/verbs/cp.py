"""`corral cp`."""

from typing import Any

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.speech.exit_codes import DONE, FAILED
from corral.surfaces.cli.words.trainer_type import type_option


@click.command()
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@type_option
@click.option(
    "-i", "--instance", default="", metavar="POD", help="Another pod than the one that leads: its name or worker-0."
)
@click.option("--rank", type=click.IntRange(min=0), default=None, metavar="N", help="The pod of this rank.")
@click.option("-c", "--container", default="", metavar="NAME", help="Another container than the one that trains.")
@api_options
def cp(source: str, target: str, **wished: Any) -> int:
    """Copy a file or a folder into a job or out of it.

    \b
    corral cp digits:/output/model.pt .
    corral cp digits/worker-1:/output/log ./log-of-worker-1
    corral cp data/ digits:/data
    corral cp digits:/output/. results

    One side is JOB[/INSTANCE]:PATH, the other a path of this machine; write ./ before one that has a colon. A folder that is
    there gets the copy inside of it; a path that ends with /. means what is in the folder. A copy of a file or a new folder
    appears whole or not at all. Links out of the copy, and what is neither file, folder nor link, are left out and told: then
    the exit status is 1. The container needs a `tar`.
    """
    from corral import assembly
    from corral.control.desk.commands import Wish
    from corral.control.desk.copies.copying import download, spot_for, upload
    from corral.control.desk.copies.places import sides_of
    from corral.surfaces.cli.acts.copy_progress import CopyProgress

    sides = sides_of(source, target)
    with connected() as session:
        spot = spot_for(session, sides, Wish("", **wished))
        with CopyProgress() as progress:
            if sides.is_upload:
                copied = upload(session, spot, sides, assembly.packer(), progress.show)
            else:
                copied = download(session, spot, sides, assembly.unpacker(), progress.show)
    progress.summarise(copied, f"{spot.pod.name}:{copied.target}" if sides.is_upload else copied.target)
    return FAILED if copied.tally.left_out else DONE
