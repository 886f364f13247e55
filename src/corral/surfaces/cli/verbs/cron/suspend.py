"""`corral cron suspend`."""

from functools import partial

import click

from corral.surfaces.cli.connection import api_options


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@api_options
def suspend(names: tuple[str, ...]) -> int:
    """Make no more jobs, until it is resumed; jobs that are there go on.

    \b
    corral cron suspend nightly
    """
    from corral.control.desk.making.crons import set_cron_suspended
    from corral.surfaces.cli.verbs.cron.turning import to_each

    return to_each(names, partial(set_cron_suspended, suspended=True), "suspend success", doing="writing to")
