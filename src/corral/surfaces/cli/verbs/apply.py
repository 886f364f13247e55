"""`corral apply`."""

import shlex
from typing import TYPE_CHECKING

import click

from corral.errors import CorralError
from corral.surfaces.cli.connection import api_options, chosen_api, connected
from corral.surfaces.cli.exit_codes import DONE, exit_status
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.spoken import spoken

if TYPE_CHECKING:
    from corral.control.desk.applying import Applied


@click.command()
@click.option(
    "-f", "--filename", "names", multiple=True, required=True, metavar="FILE", help="File, folder, or - for stdin."
)
@click.option("--force-conflicts", is_flag=True, help="Take over fields that somebody else has set otherwise.")
@api_options
def apply(names: tuple[str, ...], force_conflicts: bool) -> int:
    """Make the API hold what files say: create what is missing, change what differs.

    \b
    corral apply -f job.yaml
    corral apply -f folder/ -n vision
    cat job.yaml | corral apply -f -

    Takes every kind that the API serves. Nothing is written when a file cannot be read; an object that the API refuses
    does not keep the others back; the first refusal makes the exit status.
    """
    from corral.control.desk.applying import Terms, apply_all
    from corral.surfaces.cli.manifest_files import manifests_in

    manifests = manifests_in(names)
    done: list[Applied] = []
    refused: list[CorralError] = []

    def report(one: "Applied") -> None:
        done.append(one)
        say(str(one))

    def complain(problem: CorralError) -> None:
        refused.append(problem)
        if problem.code == "conflict" and not problem.hint:
            problem.hint = "--force-conflicts takes these fields over"
        tell(spoken(problem))

    with connected(doing="applying to") as session:
        apply_all(
            session, manifests, Terms(chosen_api().namespace, force_conflicts), on_done=report, on_problem=complain
        )
        _hint(done, session.namespace)
    return exit_status(refused[0]) if refused else DONE


def _hint(done: "list[Applied]", namespace: str) -> None:
    """Tells how to go on with the first training job."""
    job = next((one for one in done if one.is_training), None)
    if job is None:
        return
    own = job.key.namespace if job.key.namespace != namespace or namespace != "default" else ""
    where = chosen_api()._replace(namespace=own).words()
    name = f"{job.resource.kind.lower()}/{job.key.name}"
    for words, what in (
        (["logs", "-f", name], "its output"),
        (["get", name], "how it is"),
        (["delete", name], "end it"),
    ):
        tell(f"  {shlex.join(['corral', *words, *where]):<50}  {what}")
