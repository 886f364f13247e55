"""`corral logs`."""

from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say_to_nobody, tell
from corral.surfaces.cli.words.durations import moment_given, seconds_given
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.control.desk.logs.sources import Choice
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session


@click.command()
@click.argument("job")
@click.option("-f", "--follow", is_flag=True, help="Go on until the job ends; begins before its pods exist.")
@click.option("--rank", type=click.IntRange(min=0), default=None, metavar="N", help="Only this rank.")
@click.option("--role", default="", metavar="ROLE", help="Only this role, such as worker.")
@click.option("-c", "--container", default="", metavar="NAME", help="Another container than the one that trains.")
@click.option("-i", "--instance", default="", metavar="POD", help="Only this pod of the job.")
@type_option
@click.option(
    "-t",
    "--tail",
    type=click.IntRange(min=-1),
    default=-1,
    metavar="N",
    help="Only the last lines of each pod; -1 is all.",
)
@click.option(
    "--since-time",
    callback=moment_given,
    default="",
    metavar="TIME",
    help="Only what is newer than 2027-01-15T08:00:00Z.",
)
@click.option(
    "--since", callback=seconds_given, default=None, metavar="TIME", help="Only what is newer than 90s, 10m, 2h."
)
@click.option("--timestamps", is_flag=True, help="Begin each line with the time at which it was printed.")
@click.option("-p", "--previous", is_flag=True, help="The run before the last restart.")
@api_options
def logs(job: str, trainer: str, follow: bool, timestamps: bool, tail: int, **asked: object) -> None:
    """Show what the pods of a job print, all ranks as one text.

    \b
    corral logs digits              until now; a failed rank comes first
    corral logs -f digits           until the job ends, across restarts
    corral logs digits --rank 0 --tail 20
    corral logs -f digits --role worker --since 10m

    JOB is the name of a training job, of a plain Job or of a pod, also as KIND/NAME. Lines are marked with their rank when
    there are several pods. Ctrl-C detaches; the job goes on.
    """
    from corral.control.desk.logs.sources import Choice
    from corral.surfaces.cli.acts.log_following import follow_job

    if follow and asked["previous"]:
        raise click.UsageError("--previous is over: leave out --follow")
    if asked["rank"] is not None and asked["role"]:
        raise click.UsageError("either --rank or --role")
    if asked["since"] is not None and asked["since_time"]:
        raise click.UsageError("either --since or --since-time")
    choice = Choice(tail=None if tail < 0 else tail, **asked)  # type: ignore[arg-type]
    with connected() as session:
        found = _found(session, job, trainer)
        try:
            if found is not None and follow:
                follow_job(session, found, choice, timestamps=timestamps)
            else:
                _show(session, found, job, choice, timestamps=timestamps)
        except BrokenPipeError:
            # The reader has seen enough (`corral logs x | head`); what is left goes nowhere, and that is no failure.
            say_to_nobody()


def _found(session: "Session", job: str, trainer: str) -> "Found | None":
    """Returns what the name means; None when it is gone and its logs are still there."""
    from corral.control.desk.naming.finding import job_or_pod
    from corral.ports.refusals import NotFoundError

    try:
        return job_or_pod(session, job, trainer=trainer)
    except NotFoundError:
        if not session.kept(session.namespace, _bare(job)):
            raise
        return None


def _bare(job: str) -> str:
    return job.rpartition("/")[2]


def _show(session: "Session", found: "Found | None", job: str, choice: "Choice", *, timestamps: bool) -> None:
    from corral.control.desk.logs.reading import read_present, shelf_left_by, shelf_of
    from corral.control.desk.logs.sources import chosen_sources
    from corral.surfaces.cli.acts.log_following import log_writer, write_heard

    if found is None:
        tell(f"note: {job} is gone; this is what was kept of its last logs")
    shelf = shelf_of(session, found) if found is not None else shelf_left_by(session, _bare(job))
    writer = log_writer(marked=len(chosen_sources(shelf.pods, choice, shelf.sizes)) > 1, timestamps=timestamps)
    for one in read_present(session, shelf, choice):
        write_heard(one, writer)
    writer.end()
