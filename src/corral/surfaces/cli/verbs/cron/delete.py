"""`corral cron delete`."""

import click

from corral.surfaces.cli.connection import api_options


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@api_options
def delete(names: tuple[str, ...]) -> int:
    """Delete crons, and their jobs with them.

    \b
    corral cron delete nightly
    """
    from corral.control.desk.manifests.deleting import delete_found
    from corral.surfaces.cli.verbs.cron.turning import to_each

    return to_each(names, delete_found, "has deleted", doing="deleting from")
