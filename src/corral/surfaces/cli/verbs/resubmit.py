"""`corral resubmit`."""

from typing import Any

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.submission.sending import send_in, sending_given, sending_options, with_sets


@click.command()
@click.argument("job")
@click.option("--name", metavar="NAME", default="", help="The name of the new job.")
@click.option("--replace", is_flag=True, help="Delete the job first, if it has ended, and take its name.")
@sending_options
@api_options
def resubmit(job: str, name: str, replace: bool, **given: Any) -> int:
    """Submit a job once more, as it was.

    \b
    corral resubmit mnist --name mnist-2
    corral resubmit mnist --replace
    corral resubmit mnist --name mnist-3 --set spec.runPolicy.backoffLimit=3

    What belongs to it (files, TensorBoard) is made again too. Works for jobs made by anyone.
    """
    sending = sending_given(given)
    if bool(name) == replace:
        raise Mistyped("either --name or --replace", f"as in `corral resubmit {job} --name NAME`")
    from corral.control.desk.making.resubmitting import copies, make_way
    from corral.control.desk.making.submitting import Needs
    from corral.control.desk.naming.finding import job_or_pod

    is_writing = sending.dry_run == "none"
    with connected(doing="submitting to" if is_writing and not sending.quiet else "") as session:
        found = job_or_pod(session, job, pods=False)
        if not found.is_training:
            raise Mistyped(f"{found.shown} is no training job", "`corral list` shows the training jobs")
        new = name or found.key.name
        objects = with_sets(copies(session, found, new), sending.sets)
        if replace and is_writing:
            make_way(session, found, objects[0], on_wait=tell)
        return send_in(session, found.resource, objects, Needs(new), sending)
