"""`corral top job`."""

import time
from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say_painted, tell
from corral.surfaces.cli.words.all_namespaces import all_namespaces_option
from corral.surfaces.cli.words.output_form import OutputForm, output_option
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.control.desk.jobs.looking import Wanted
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session
    from corral.control.desk.top.measuring import Meter


@click.command()
@click.argument("name", default="", metavar="[JOB]")
@type_option
@all_namespaces_option()
@click.option("-r", "--refresh", is_flag=True, help="Again every two seconds, until interrupted.")
@click.option("-i", "--instance", default="", metavar="POD", help="Of one job: only this pod.")
@output_option()
@api_options
def job(name: str, trainer: str, everywhere: bool, refresh: bool, instance: str, output: OutputForm) -> None:
    """Show jobs, or each rank of one: GPUs, processors and memory in use.

    \b
    corral top job                 all jobs, those with most GPUs first
    corral top job digits -r       each rank of one, every two seconds
    """
    from corral.control.desk.jobs.looking import Wanted
    from corral.control.desk.naming.finding import job_or_pod
    from corral.control.desk.top.measuring import Meter
    from corral.surfaces.cli.acts.job_listing import note
    from corral.surfaces.cli.acts.refreshing import again_and_again

    if name and everywhere:
        raise click.UsageError("a name is looked up in one namespace: leave out -A")
    if instance and not name:
        raise click.UsageError("an instance is one of a job: say which job")
    wanted = Wanted(trainer, everywhere=everywhere)
    with connected() as session:
        meter = Meter(session, on_note=note)

        def show() -> None:
            if name:
                found = job_or_pod(session, name, pods=False, trainer=trainer)
                _show_ranks(session, meter, found, instance, output)
            else:
                _show_jobs(session, meter, wanted, output)

        again_and_again(show, refresh=refresh)


def _show_jobs(session: "Session", meter: "Meter", wanted: "Wanted", output: OutputForm) -> None:
    from corral.control.desk.top.job_lines import used_jobs
    from corral.surfaces.cli.acts.job_listing import note
    from corral.surfaces.cli.render.terminal import surroundings
    from corral.surfaces.cli.render.top_jobs import top_jobs

    jobs = used_jobs(session, meter, wanted, on_note=note)
    if not output.is_for_people:
        from corral.surfaces.cli.render.objects import say_data

        say_data([one.document() for one in jobs], [f"{one.line.kind.lower()}/{one.line.name}" for one in jobs], output)
    elif jobs:
        say_painted(top_jobs(jobs, time.time(), surroundings(), everywhere=wanted.everywhere))
    else:
        tell("no training jobs " + ("in any namespace" if wanted.everywhere else f"in namespace {session.namespace}"))


def _show_ranks(session: "Session", meter: "Meter", found: "Found", instance: str, output: OutputForm) -> None:
    from corral.control.desk.naming.suggestions import did_you_mean
    from corral.control.desk.top.job_lines import used_ranks
    from corral.ports.refusals import NotFoundError
    from corral.surfaces.cli.render.terminal import surroundings
    from corral.surfaces.cli.render.top_jobs import top_ranks

    ranks = used_ranks(session, meter, found, instance)
    if instance and not ranks.pods:
        known = [pod.name for pod in ranks.story.pods]
        raise NotFoundError(f'{found.key.name} has no pod "{instance}"', hint=did_you_mean(instance, known))
    if output.is_for_people:
        say_painted(top_ranks(ranks, time.time(), surroundings()))
    else:
        from corral.surfaces.cli.render.objects import say_data

        say_data(ranks.document(), [f"pod/{one.pod.name}" for one in ranks.pods], output)
