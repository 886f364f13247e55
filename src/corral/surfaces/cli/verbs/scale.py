"""`corral scale`."""

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.speech.exit_codes import DONE
from corral.surfaces.cli.words.durations import seconds_given
from corral.surfaces.cli.words.trainer_type import type_option


@click.command()
@click.argument("job")
@click.option("--workers", type=click.IntRange(min=0), required=True, metavar="N", help="How many it shall have.")
@click.option(
    "--timeout", callback=seconds_given, default="10m", show_default=True, metavar="TIME", help="Wait so long."
)
@type_option
@api_options
def scale(job: str, workers: int, timeout: int, trainer: str) -> int:
    """Give an elastic job another number of workers, and wait until they run.

    \b
    corral scale digits --workers 4

    Elastic are jobs with an elastic policy, and MPIJobs with bounds in their annotations. A number outside of the bounds is
    refused with 2; workers that do not come in time are 7, and the job goes on.
    """
    from corral.control.desk.naming.finding import job_or_pod
    from corral.surfaces.cli.acts.scaling import scale_job

    with connected(doing="writing to") as session:
        found = job_or_pod(session, job, pods=False, trainer=trainer)
        scale_job(session, found, lambda _: workers, timeout)
    return DONE
