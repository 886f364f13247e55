"""`corral prune`."""

import sys
import time
from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.speech.exit_codes import DONE, exit_status
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.words.durations import seconds_given
from corral.surfaces.cli.words.output_form import OutputForm, output_option
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session


@click.command()
@click.option(
    "-s",
    "--since",
    required=True,
    callback=seconds_given,
    metavar="TIME",
    help="Jobs that ended longer ago than 90s, 10m, 3h, 7d.",
)
@click.option("-A", "--all-namespaces", "everywhere", is_flag=True, help="Those of all namespaces.")
@type_option
@click.option("-y", "--yes", "is_sure", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@output_option("name")
@api_options
def prune(since: int, everywhere: bool, trainer: str, is_sure: bool, dry_run: bool, output: OutputForm) -> int:
    """Delete training jobs that have ended, and everything that belongs to them.

    \b
    corral prune --since 7d --dry-run
    corral prune -s 24h -A

    Shows them first and asks once. Jobs that wait or run are never among them, however old they are.
    """
    from corral.control.desk.changing.pruning import ended_before
    from corral.control.desk.jobs.looking import Wanted, jobs_in
    from corral.surfaces.cli.acts.job_listing import note

    with connected(doing="" if dry_run else "pruning") as session:
        wanted = Wanted(trainer, everywhere=everywhere)
        jobs = ended_before(jobs_in(session, wanted=wanted, on_note=note), time.time() - since)
        if not jobs:
            tell("no training job has ended so long ago")
            return DONE
        _preview(jobs, everywhere=everywhere, output=output, is_answer=dry_run)
        if dry_run:
            return DONE
        if not is_sure:
            _ask(len(jobs))
        return _delete(session, jobs)


def _preview(jobs: "list[Found]", *, everywhere: bool, output: OutputForm, is_answer: bool) -> None:
    """Shows what would go: as the answer of a trial, else as what the question is about."""
    from corral.control.desk.jobs.lines import job_line
    from corral.surfaces.cli.render.job_table import job_table
    from corral.surfaces.cli.render.terminal import Surroundings

    write = say if is_answer else tell
    if output.name == "name":
        write("\n".join(job.shown for job in jobs))
    else:
        write(job_table([job_line(job) for job in jobs], time.time(), Surroundings(), everywhere=everywhere))


def _ask(count: int) -> None:
    many = "this training job" if count == 1 else f"these {count} training jobs"
    if not sys.stdin.isatty():
        raise Mistyped(f"{many} would be deleted, and nobody can be asked", "-y deletes them without asking")
    if not click.confirm(f"Delete {many}?", err=True):
        raise Mistyped("nothing was deleted", "-y deletes without asking")


def _delete(session: "Session", jobs: "list[Found]") -> int:
    from corral.control.desk.manifests.deleting import delete_found
    from corral.errors import PermanentError
    from corral.ports.refusals import NotFoundError
    from corral.surfaces.cli.speech.spoken import spoken

    status = DONE
    for job in jobs:
        try:
            say(f"{delete_found(session, job)} deleted")
        except NotFoundError:
            continue  # somebody else was faster, or its time to live was over
        except PermanentError as error:
            tell(spoken(error))
            status = status or exit_status(error)
    return status
