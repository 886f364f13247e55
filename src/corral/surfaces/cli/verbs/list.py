"""`corral list`."""

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.words.all_namespaces import all_namespaces_option
from corral.surfaces.cli.words.output_form import OutputForm, output_option
from corral.surfaces.cli.words.trainer_type import type_option

_STATUSES = ["queuing", "pending", "running", "succeeded", "failed", "suspended"]


@click.command("list")
@type_option
@all_namespaces_option()
@click.option(
    "-l", "--selector", "labels", default="", metavar="LABELS", help="Only jobs with these labels: team=vision."
)
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(_STATUSES, case_sensitive=False),
    help="Only jobs that are so; repeatable.",
)
@click.option("-w", "--watch", is_flag=True, help="Then show every change, until interrupted.")
@output_option(by_settings=True)
@api_options
def list(  # noqa: A001 - the name of the command
    trainer: str, everywhere: bool, labels: str, statuses: tuple[str, ...], watch: bool, output: OutputForm
) -> None:
    """Show the training jobs, the newest first, whoever made them.

    \b
    corral list                         those of this namespace
    corral list -A -o wide              those of all, with everything
    corral list -T tfjob --status running --status pending
    corral list -w                      and every change

    A job that runs and has a pod that does not is PENDING. GPU(Allocated) counts GPUs of running pods, NODE is where the
    leading pod is.
    """
    from corral.control.desk.jobs.looking import Wanted
    from corral.surfaces.cli.acts.job_listing import show_jobs, watch_jobs

    wanted = Wanted(trainer, labels, everywhere)
    words = frozenset(word.upper() for word in statuses)
    with connected() as session:
        (watch_jobs if watch else show_jobs)(session, wanted, output, statuses=words)
