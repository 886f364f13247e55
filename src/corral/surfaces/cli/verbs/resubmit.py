"""`corral resubmit`."""

import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from corral.surfaces.cli.connection import api_options, chosen_api, connected
from corral.surfaces.cli.render.objects import list_of, written
from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.submission.sending import send_in, sending_given, sending_options, with_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session
    from corral.kinds.objects import Object


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
    from corral.control.desk.making.needs import Needs
    from corral.control.desk.making.resubmitting import copies
    from corral.control.desk.naming.finding import job_or_pod

    is_writing = sending.dry_run == "none"
    with connected(doing="submitting to" if is_writing and not sending.quiet else "") as session:
        found = job_or_pod(session, job, pods=False)
        if not found.is_training:
            raise Mistyped(f"{found.shown} is no training job", "`corral list` shows the training jobs")
        new = name or found.key.name
        objects = with_sets(copies(session, found, new), sending.sets)
        around = _in_its_place(session, found, objects) if replace and is_writing else None
        return send_in(session, found.resource, objects, Needs(new), sending, around=around)


@contextmanager
def _in_its_place(session: "Session", job: "Found", objects: "list[Object]") -> "Iterator[None]":
    """Makes way for objects that are made inside; until they are, a file holds what else would be nowhere."""
    from corral.assembly import replaced_jobs
    from corral.control.desk.making.resubmitting import make_way, refuse_replacement

    refuse_replacement(session, job, objects[0])
    path = replaced_jobs.keep(job.key, job.object["metadata"]["uid"], written(list_of(objects), "json"))
    is_made = False
    try:
        make_way(session, job, on_wait=tell)
        yield
        is_made = True
    finally:
        if is_made:
            replaced_jobs.forget(path)
        else:
            where = chosen_api()._replace(namespace="").words()  # the objects name theirs
            again = shlex.join(["corral", "apply", "-f", path, *where])
            tell(f"note: {job.key.name} may be deleted and not made again; `{again}` makes it")
