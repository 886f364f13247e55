"""`corral top queue`."""

from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say_painted, tell
from corral.surfaces.cli.words.output_form import OutputForm, output_option

if TYPE_CHECKING:
    from corral.control.desk.session import Session
    from corral.control.desk.top.queue_lines import QueueLine


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-r", "--refresh", is_flag=True, help="Again every two seconds, until interrupted.")
@output_option()
@api_options
def queue(names: tuple[str, ...], refresh: bool, output: OutputForm) -> None:
    """Show queues: what each has, what it is guaranteed, what it never exceeds, and who waits.

    \b
    corral top queue
    corral top queue research -o json

    A queue below another one stands below it, and what it has counts there as well. The scheduler tells these numbers; they are
    a second or two old.
    """
    from corral.surfaces.cli.acts.refreshing import again_and_again

    with connected() as session:
        again_and_again(lambda: _show(_lines(session, names), output), refresh=refresh)


def _lines(session: "Session", names: tuple[str, ...]) -> "list[QueueLine]":
    from corral.control.desk.naming.suggestions import did_you_mean
    from corral.control.desk.top.queue_lines import queue_lines, queues_in
    from corral.ports.refusals import NotFoundError

    lines = queue_lines(queues_in(session))
    known = [one.name for one in lines]
    for name in names:
        if name not in known:
            raise NotFoundError(
                f'there is no queue "{name}"', hint=did_you_mean(name, known) or "`corral top queue` lists them"
            )
    return [one for one in lines if not names or one.name in names]


def _show(lines: "list[QueueLine]", output: OutputForm) -> None:
    from corral.surfaces.cli.render.terminal import surroundings
    from corral.surfaces.cli.render.top_queues import top_queues

    if not output.is_for_people:
        from corral.surfaces.cli.render.objects import say_data

        say_data([one.document() for one in lines], [f"queue/{one.name}" for one in lines], output)
    elif lines:
        say_painted(top_queues(lines, surroundings()))
    else:
        tell("no queues: jobs are placed in the order of priority and arrival")
