"""`corral version`."""

import sys

import click

from corral import __version__
from corral.surfaces.cli.connection import api_options
from corral.surfaces.cli.words.output_form import DATA_FORMS, OutputForm, output_option


@click.command()
@click.option("--short", is_flag=True, help="Only the number.")
@click.option("--verbose", is_flag=True, help="Also Python, the machine, and where Corral is installed.")
@click.option("--server", is_flag=True, help="Also the version of the API; it must be there.")
@output_option(*DATA_FORMS)
@api_options
def version(short: bool, verbose: bool, server: bool, output: OutputForm) -> None:
    """Print the version.

    \b
    corral version
    corral version --short
    corral version --server --context prod
    """
    facts = {"corral": __version__}
    if verbose:
        facts |= _surroundings()
    if server:
        facts |= _server()
    if not output.is_for_people:
        from corral.surfaces.cli.render.objects import say_data

        say_data(facts, [__version__], output)
    elif short and not (verbose or server):
        click.echo(__version__)
    else:
        for name, value in facts.items():
            click.echo(f"{name} {value}")


def _surroundings() -> dict[str, str]:
    import os

    import corral

    machine = os.uname()
    return {
        "python": f"{'.'.join(map(str, sys.version_info[:3]))} ({sys.executable})",
        "platform": f"{machine.sysname} {machine.release} {machine.machine}",
        "package": os.path.dirname(corral.__file__),
    }


def _server() -> dict[str, str]:
    from corral.surfaces.cli.connection import connected

    with connected(start=False) as session:
        return {"server": f"{session.store.version()} ({session.target})"}
