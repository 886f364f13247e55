"""`corral delete`."""

from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, chosen_api, connected
from corral.surfaces.cli.exit_codes import DONE, exit_status
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.spoken import spoken

if TYPE_CHECKING:
    from collections.abc import Callable

    from corral.control.desk.manifests import Manifest
    from corral.control.desk.session import Session
    from corral.errors import CorralError


@click.command()
@click.argument("names", nargs=-1, metavar="[KIND/NAME]...")
@click.option("-f", "--filename", "files", multiple=True, metavar="FILE", help="File, folder, or - for stdin.")
@click.option("--ignore-not-found", is_flag=True, help="What is not there counts as deleted.")
@api_options
def delete(names: tuple[str, ...], files: tuple[str, ...], ignore_not_found: bool) -> int:
    """Delete jobs and other objects, and everything that belongs to them.

    \b
    corral delete digits
    corral delete pytorchjob/digits configmap/recipe
    corral delete -f job.yaml

    A name alone is that of a job. Returns when the API has taken note; pods are given the time that they ask for.
    """
    if bool(names) == bool(files):
        raise click.UsageError("either names or -f")
    manifests = _manifests(files) if files else []
    refused: list[CorralError] = []

    def complain(problem: "CorralError") -> None:
        if not (ignore_not_found and problem.code == "not-found"):
            refused.append(problem)
            tell(spoken(problem))

    with connected(doing="deleting from") as session:
        if names:
            _delete_named(session, names, complain)
        else:
            from corral.control.desk.applying import Terms
            from corral.control.desk.deleting import delete_all

            delete_all(session, manifests, Terms(chosen_api().namespace), on_done=_tell_deleted, on_problem=complain)
    return exit_status(refused[0]) if refused else DONE


def _manifests(files: tuple[str, ...]) -> "list[Manifest]":
    from corral.surfaces.cli.manifest_files import manifests_in

    return manifests_in(files)


def _delete_named(session: "Session", names: tuple[str, ...], complain: "Callable[[CorralError], None]") -> None:
    from corral.control.desk.deleting import delete_found
    from corral.control.desk.finding import job_or_pod
    from corral.errors import PermanentError

    for name in names:
        try:
            _tell_deleted(delete_found(session, job_or_pod(session, name, pods=False)))
        except PermanentError as error:
            complain(error)


def _tell_deleted(name: str) -> None:
    say(f"{name} deleted")
