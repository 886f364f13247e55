"""`corral wait`."""

from typing import TYPE_CHECKING, cast

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.durations import seconds_given
from corral.surfaces.cli.exit_codes import DONE, FAILED, LOST
from corral.surfaces.cli.render.output import say, tell

if TYPE_CHECKING:
    from corral.control.desk.waiting import Goal

_STATUS = {"reached": DONE, "failed": FAILED, "otherwise": FAILED, "lost": LOST}


@click.command()
@click.argument("job")
@click.option(
    "--for",
    "goal",
    type=click.Choice(["succeeded", "failed", "running", "finished"]),
    default="succeeded",
    show_default=True,
    help="What to wait for; finished is either end.",
)
@click.option("--timeout", callback=seconds_given, default=None, metavar="TIME", help="At most 90s, 10m, 2h.")
@api_options
def wait(job: str, goal: str, timeout: int | None) -> int:
    """Wait until a job has succeeded, or is where you want it to be.

    \b
    corral wait digits
    corral wait digits --for running --timeout 60s

    Exits with 0 when it is so, with 1 when the job has ended otherwise, with 9 when it was lost to the infrastructure, with
    7 when the time is over, and with 3 when there is no such job.
    """
    from corral.control.desk.finding import job_or_pod
    from corral.control.desk.waiting import IN_WORDS, wait_for

    with connected() as session:
        found = job_or_pod(session, job, pods=False)
        try:
            waited = wait_for(session, found, cast("Goal", goal), timeout, on_wait=tell)
        except KeyboardInterrupt:
            tell(f"no longer waiting; {found.key.name} goes on")
            raise
    if waited.verdict == "reached":
        say(f"{found.shown} {IN_WORDS[goal][0]}")
    else:
        tell(
            f"error: {found.key.name} {IN_WORDS[goal][1]}: {waited.why}\nhint: `corral get {found.key.name}` tells more"
        )
    return _STATUS[waited.verdict]
