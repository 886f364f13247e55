"""`corral events`."""

import time
from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say_painted, tell
from corral.surfaces.cli.words.output_form import OutputForm, output_option
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.kinds.objects import Object


@click.command()
@click.argument("job")
@type_option
@click.option("-w", "--watch", is_flag=True, help="Then show what is said, until interrupted.")
@output_option()
@api_options
def events(job: str, trainer: str, watch: bool, output: OutputForm) -> None:
    """Show what was said about a job and its pods, oldest first.

    \b
    corral events digits
    corral events digits -w
    corral events digits -o jsonpath='{range .items[*]}{.reason}{"\\n"}{end}'
    """
    from corral.control.desk.jobs.events import events_of, followed_events
    from corral.control.desk.jobs.looking import pods_in
    from corral.control.desk.naming.finding import job_or_pod
    from corral.surfaces.cli.acts.job_listing import note

    with connected() as session:
        found = job_or_pod(session, job, pods=False, trainer=trainer)
        if watch:
            is_first = True
            for batch in followed_events(session, found, on_wait=tell):
                _show(batch, output, with_head=is_first, is_stream=True)
                is_first = is_first and not batch
            return
        pods = pods_in(session.store, found.pods)
        said = events_of(session, found, pods, only_warnings=False, on_note=note)
        _show(said, output)
        if not said and output.is_for_people:
            tell(f"nothing was said about {found.key.name}, or it is forgotten: servers keep events for an hour")


def _show(said: "list[Object]", output: OutputForm, *, with_head: bool = True, is_stream: bool = False) -> None:
    if output.is_for_people:
        from corral.control.desk.jobs.events import told
        from corral.surfaces.cli.render.job_story import event_table
        from corral.surfaces.cli.render.terminal import surroundings

        lines = event_table([told(one) for one in said], time.time(), surroundings()).splitlines()
        if said:
            say_painted("\n".join(lines[0 if with_head else 2 :]))
        return
    from corral.surfaces.cli.render.objects import list_of, say_data

    names = [f"event/{one['metadata']['name']}" for one in said]
    if is_stream:
        for one, name in zip(said, names, strict=True):
            say_data(one, [name], output, is_stream=True)
    else:
        say_data(list_of(said), names, output)
