"""`corral cron list`."""

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say_painted, tell
from corral.surfaces.cli.words.all_namespaces import all_namespaces_option
from corral.surfaces.cli.words.output_form import OutputForm, output_option


@click.command("list")
@all_namespaces_option()
@output_option()
@api_options
def list(everywhere: bool, output: OutputForm) -> None:  # noqa: A001 - the name of the command
    """Show the crons.

    \b
    corral cron list
    corral cron list -A -o wide     with the last and the next time
    """
    from corral.control.desk.making.crons import cron_line, crons_in
    from corral.surfaces.cli.render.cron_table import cron_table
    from corral.surfaces.cli.render.objects import list_of, say_data
    from corral.surfaces.cli.render.terminal import surroundings

    with connected() as session:
        crons = crons_in(session, everywhere=everywhere)
        where = "in any namespace" if everywhere else f"in namespace {session.namespace}"
    if not output.is_for_people:
        say_data(list_of([one.object for one in crons]), [one.shown for one in crons], output)
        return
    lines = [cron_line(one) for one in crons]
    if not lines:
        tell(f"no crons {where}")
        return
    say_painted(cron_table(lines, surroundings(), everywhere=everywhere, wide=output.is_wide))
    for line in lines:
        if line.state == "Invalid":
            tell(f"note: {line.name} makes no jobs: {line.why}")
