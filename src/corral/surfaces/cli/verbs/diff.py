"""`corral diff`."""

from typing import TYPE_CHECKING

import click

from corral.errors import CorralError
from corral.surfaces.cli.connection import api_options, chosen_api, connected
from corral.surfaces.cli.render.output import say_painted, tell
from corral.surfaces.cli.speech.exit_codes import DONE, INVALID, exit_status
from corral.surfaces.cli.speech.spoken import spoken

if TYPE_CHECKING:
    from corral.control.desk.manifests.comparing import Comparison

_DIFFERS = 1


@click.command()
@click.option(
    "-f", "--filename", "names", multiple=True, required=True, metavar="FILE", help="File, folder, or - for stdin."
)
@click.option("--set", "values", multiple=True, metavar="PATH=VALUE", help="Change a value before it is compared.")
@click.option("--force-conflicts", is_flag=True, help="As if fields of others were taken over.")
@api_options
def diff(names: tuple[str, ...], values: tuple[str, ...], force_conflicts: bool) -> int:
    """Show what `corral apply` would change, and change nothing.

    \b
    corral diff -f job.yaml
    corral diff -f job.yaml --set spec.runPolicy.backoffLimit=3

    The server itself says what would come of it, with its defaults. What it writes about itself is left out, as is status.
    Exits with 0 when nothing would change, with 1 when something would, and with more than 1 when that cannot be told.
    """
    from corral.control.desk.manifests.applying import Terms
    from corral.control.desk.manifests.comparing import compare_all
    from corral.surfaces.cli.acts.manifest_files import manifests_in
    from corral.surfaces.cli.render.differences import differences
    from corral.surfaces.cli.render.terminal import surroundings

    manifests = manifests_in(names, values)
    refused: list[CorralError] = []
    different: list[str] = []

    def show(one: "Comparison") -> None:
        if one.differs:
            different.append(one.shown)
            say_painted(differences(one.shown, one.before, one.after, surroundings()))

    def complain(problem: CorralError) -> None:
        refused.append(problem)
        tell(spoken(problem))

    with connected() as session:
        terms = Terms(chosen_api().namespace, force_conflicts)
        compare_all(session, manifests, terms, on_done=show, on_problem=complain)
    if refused:
        return max(exit_status(refused[0]), INVALID)
    return _DIFFERS if different else DONE
