"""`corral cron get`."""

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say_painted
from corral.surfaces.cli.words.output_form import OutputForm, output_option


@click.command()
@click.argument("name")
@output_option()
@api_options
def get(name: str, output: OutputForm) -> None:
    """Show one cron, and what became of its jobs.

    \b
    corral cron get nightly
    corral cron get nightly -o jsonpath='{.status.nextScheduleTime}'

    The jobs that have ended come first, those that go on last. `corral get JOB` tells more about one of them.
    """
    from corral.control.desk.making.crons import cron_line, cron_named, runs_of
    from corral.surfaces.cli.render.cron_table import cron_story
    from corral.surfaces.cli.render.objects import say_data
    from corral.surfaces.cli.render.terminal import surroundings

    with connected() as session:
        found = cron_named(session, name)
        if not output.is_for_people:
            say_data(found.object, [found.shown], output)
            return
        runs = runs_of(session, found)
    say_painted(cron_story(cron_line(found), runs, surroundings()))
