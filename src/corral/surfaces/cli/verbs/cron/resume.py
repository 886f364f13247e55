"""`corral cron resume`."""

from functools import partial

import click

from corral.surfaces.cli.connection import api_options


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@api_options
def resume(names: tuple[str, ...]) -> int:
    """Make jobs again, from the next time on; what passed meanwhile is not made up for.

    \b
    corral cron resume nightly
    """
    from corral.control.desk.making.crons import set_cron_suspended
    from corral.surfaces.cli.verbs.cron.turning import to_each

    return to_each(names, partial(set_cron_suspended, suspended=False), "resume success", doing="writing to")
