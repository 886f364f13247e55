"""`corral wait`."""

from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say
from corral.surfaces.cli.speech.exit_codes import DONE
from corral.surfaces.cli.words.durations import seconds_given
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session


def _goal(_: click.Context, option: click.Parameter, text: str) -> str:
    from corral.control.desk.waiting import IN_WORDS, is_goal

    word = text.lower() if text.lower() in (*IN_WORDS, "delete") else text
    if not is_goal(word):
        known = f"{', '.join(IN_WORDS)}, delete or condition=TYPE[=STATUS]"
        raise click.BadParameter(f"{text!r} is nothing to wait for; say {known}", param=option)
    return word


@click.command()
@click.argument("job")
@click.option(
    "--for",
    "goal",
    callback=_goal,
    default="succeeded",
    show_default=True,
    metavar="GOAL",
    help="succeeded, failed, running, finished (either end), delete, or condition=TYPE[=STATUS].",
)
@click.option("--timeout", callback=seconds_given, default=None, metavar="TIME", help="At most 90s, 10m, 2h.")
@click.option("--propagate", is_flag=True, help="Exit with the code of the program that trains, when it is known.")
@type_option
@api_options
def wait(job: str, goal: str, timeout: int | None, propagate: bool, trainer: str) -> int:
    """Wait until a job has succeeded, or is where you want it to be.

    \b
    corral wait digits
    corral wait digits --for running --timeout 60s
    corral wait digits --propagate
    corral wait digits --for delete
    corral wait pod/digits-master-0 --for condition=Ready

    Exits with 0 when it is so, with 1 when the job has ended otherwise, with 9 when it was lost to the infrastructure, with
    7 when the time is over, and with 3 when there is no such job.
    """
    from corral.surfaces.cli.acts.awaiting import await_job

    with connected() as session:
        found = _found(session, job, trainer, goal)
        if found is None:
            say(f"{job} is gone")
            return DONE
        return await_job(session, found, goal, timeout, propagate=propagate)


def _found(session: "Session", job: str, trainer: str, goal: str) -> "Found | None":
    """Returns what is waited for; None when it is gone, as it should be."""
    from corral.control.desk.naming.finding import job_or_pod
    from corral.ports.refusals import NotFoundError

    try:
        return job_or_pod(session, job, pods=False, trainer=trainer)
    except NotFoundError:
        if goal != "delete":
            raise
        return None
