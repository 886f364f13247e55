"""`corral delete`."""

from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.acts.deleting import Complaints, delete_each, tell_deleted
from corral.surfaces.cli.connection import api_options, chosen_api, connected
from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.speech.asking import answer_to
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.control.desk.manifests.reading import Manifest
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session


@click.command()
@click.argument("names", nargs=-1, metavar="[KIND/NAME]...")
@click.option("-f", "--filename", "files", multiple=True, metavar="FILE", help="File, folder, or - for stdin.")
@type_option
@click.option("--all", "everything", is_flag=True, help="All training jobs of the namespace; with -T all of a type.")
@click.option(
    "-l", "--selector", default="", metavar="LABELS", help="The training jobs with these labels: team=vision."
)
@click.option("-y", "--yes", "is_sure", is_flag=True, help="Do not ask before many jobs are deleted.")
@click.option("--ignore-not-found", is_flag=True, help="What is not there counts as deleted.")
@api_options
def delete(
    names: tuple[str, ...],
    files: tuple[str, ...],
    trainer: str,
    everything: bool,
    selector: str,
    is_sure: bool,
    ignore_not_found: bool,
) -> int:
    """Delete jobs and other objects, and everything that belongs to them.

    \b
    corral delete digits
    corral delete pytorchjob/digits configmap/recipe
    corral delete -f job.yaml
    corral delete -l team=vision
    corral delete --all -T pytorchjob -y

    A name alone is that of a job. With --all or -l the jobs are listed first, and deleted when their number was typed. Returns
    when the API has taken note; pods are given the time that they ask for.
    """
    if sum(map(bool, (names, files, everything or selector))) != 1:
        raise click.UsageError("either names, or -f, or --all or -l")
    manifests = _manifests(files) if files else []
    complain = Complaints(ignored="not-found" if ignore_not_found else "")
    with connected(doing="deleting from") as session:
        if names:
            _delete_named(session, names, trainer, complain)
        elif files:
            from corral.control.desk.manifests.applying import Terms
            from corral.control.desk.manifests.deleting import delete_all

            delete_all(session, manifests, Terms(chosen_api().namespace), on_done=tell_deleted, on_problem=complain)
        else:
            delete_each(session, _agreed(session, trainer, selector, is_sure=is_sure), complain, was_named=False)
    return complain.status


def _manifests(files: tuple[str, ...]) -> "list[Manifest]":
    from corral.surfaces.cli.acts.manifest_files import manifests_in

    return manifests_in(files)


def _delete_named(session: "Session", names: tuple[str, ...], trainer: str, complain: Complaints) -> None:
    from corral.control.desk.naming.finding import job_or_pod
    from corral.errors import PermanentError

    for name in names:
        try:
            found = job_or_pod(session, name, pods=False, trainer=trainer)
        except PermanentError as error:
            complain(error)
            continue
        delete_each(session, [found], complain, was_named=True)


def _agreed(session: "Session", trainer: str, selector: str, *, is_sure: bool) -> "list[Found]":
    """Returns the jobs that are to go, after they were shown and their number was typed."""
    from corral.control.desk.jobs.lines import job_line
    from corral.control.desk.jobs.looking import Wanted, jobs_in

    jobs = jobs_in(session, wanted=Wanted(trainer, selector), on_note=lambda text: tell(f"note: {text}"))
    if not jobs:
        tell(f"no such training jobs in namespace {session.namespace}")
        return []
    number = f"{len(jobs)} training job{'' if len(jobs) == 1 else 's'}"
    tell(f"{number} in namespace {session.namespace}:")
    for job in jobs:
        tell(f"  {job.shown}  {job_line(job).status}")
    if is_sure:
        return jobs
    typed = answer_to(
        f"Type {len(jobs)} to delete them",
        otherwise=f"{number} would be deleted",
        flag="-y deletes them without asking",
    )
    if typed != str(len(jobs)):
        raise Mistyped("nothing was deleted", "-y deletes without asking")
    return jobs
