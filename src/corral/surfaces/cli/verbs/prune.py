"""`corral prune`."""

import time
from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.acts.deleting import Complaints, delete_each
from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.speech.asking import is_agreed
from corral.surfaces.cli.speech.exit_codes import DONE
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.words.all_namespaces import all_namespaces_option
from corral.surfaces.cli.words.durations import seconds_given
from corral.surfaces.cli.words.output_form import OutputForm, output_option
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.control.desk.naming.finding import Found


@click.command()
@click.option(
    "-s",
    "--since",
    required=True,
    callback=seconds_given,
    metavar="TIME",
    help="Jobs that ended longer ago than 90s, 10m, 3h, 7d.",
)
@all_namespaces_option("Those of all namespaces.")
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
        many = "this training job" if len(jobs) == 1 else f"these {len(jobs)} training jobs"
        if not is_sure and not is_agreed(
            f"Delete {many}?", otherwise=f"{many} would be deleted", flag="-y deletes them without asking"
        ):
            raise Mistyped("nothing was deleted", "-y deletes without asking")
        complain = Complaints()
        delete_each(session, jobs, complain, was_named=False)
        return complain.status


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
