"""`corral apply`."""

import shlex
from typing import TYPE_CHECKING, NamedTuple

import click

from corral.errors import CorralError
from corral.surfaces.cli.connection import api_options, chosen_api, connected
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.speech.exit_codes import DONE, exit_status
from corral.surfaces.cli.speech.spoken import spoken
from corral.surfaces.cli.words.dry_run import Trial
from corral.surfaces.cli.words.durations import seconds_given
from corral.surfaces.cli.words.output_form import OutputForm, output_option

if TYPE_CHECKING:
    from corral.control.desk.manifests.applying import Applied, Terms
    from corral.control.desk.manifests.reading import Manifest
    from corral.control.desk.session import Session


class Waiting(NamedTuple):
    """Whether to wait for the jobs, for how long, and whose exit status counts."""

    is_wanted: bool
    timeout: int | None
    propagate: bool


@click.command()
@click.option(
    "-f", "--filename", "names", multiple=True, required=True, metavar="FILE", help="File, folder, or - for stdin."
)
@click.option(
    "--set", "values", multiple=True, metavar="PATH=VALUE", help="Change a value in all objects, or in KIND:PATH."
)
@click.option("--force-conflicts", is_flag=True, help="Take over fields that somebody else has set otherwise.")
@click.option(
    "--dry-run",
    type=Trial(),
    is_flag=False,
    flag_value="client",
    default="none",
    help="Show what would be sent (client), or what the server would make of it (server); change nothing.",
)
@output_option("json", "yaml", "name")
@click.option("--wait", "is_awaited", is_flag=True, help="Wait until the training jobs have succeeded.")
@click.option("--timeout", callback=seconds_given, default=None, metavar="TIME", help="Wait at most 90s, 10m, 2h.")
@click.option("--propagate", is_flag=True, help="With --wait: exit with the code of the program that trains.")
@api_options
def apply(
    names: tuple[str, ...],
    values: tuple[str, ...],
    force_conflicts: bool,
    dry_run: str,
    output: OutputForm,
    is_awaited: bool,
    timeout: int | None,
    propagate: bool,
) -> int:
    """Make the API hold what files say: create what is missing, change what differs.

    \b
    corral apply -f job.yaml
    corral apply -f folder/ -n vision
    corral apply -f job.yaml --set spec.runPolicy.suspend=true --dry-run=server
    corral apply -f job.yaml --wait --propagate
    cat job.yaml | corral apply -f -

    Takes every kind that the API serves. Nothing is written when a file cannot be read; an object that the API refuses
    does not keep the others back; the first refusal makes the exit status.
    """
    from corral.control.desk.manifests.applying import Terms
    from corral.surfaces.cli.acts.manifest_files import manifests_in

    waiting = Waiting(is_awaited, timeout, propagate)
    if not is_awaited and (timeout is not None or propagate):
        raise click.UsageError("--timeout and --propagate are about waiting: add --wait")
    if is_awaited and dry_run != "none":
        raise click.UsageError("what is not applied cannot be waited for: leave out --wait or --dry-run")
    manifests = manifests_in(names, values)
    terms = Terms(chosen_api().namespace, force_conflicts, dry_run == "server")
    return _show(manifests, output) if dry_run == "client" else _apply(manifests, terms, output, waiting)


def _show(manifests: "list[Manifest]", output: OutputForm) -> int:
    """Shows what would be sent, in the order in which it would be; no API is asked."""
    from corral.control.desk.manifests.reading import in_order

    found = in_order(manifests)
    names = [_name_of(one) for one in found]
    if output.name:
        _say_objects([one.object for one in found], names, output)
    else:
        say("\n".join(f"{name} applied (client dry run)" for name in names))
    return DONE


def _name_of(manifest: "Manifest") -> str:
    group, slash, _ = manifest.object["apiVersion"].rpartition("/")
    kind = manifest.object["kind"].lower()
    return f"{kind}{f'.{group}' if slash else ''}/{manifest.object['metadata']['name']}"


def _say_objects(objects: "list[dict[str, object]]", names: list[str], output: OutputForm) -> None:
    from corral.surfaces.cli.render.objects import list_of, say_data

    say_data(objects[0] if len(objects) == 1 else list_of(objects), names, output)


def _apply(manifests: "list[Manifest]", terms: "Terms", output: OutputForm, waiting: Waiting) -> int:
    from corral.control.desk.manifests.applying import apply_all

    done: list[Applied] = []
    refused: list[CorralError] = []

    def report(one: "Applied") -> None:
        done.append(one)
        if not output.name:
            say(str(one))

    def complain(problem: CorralError) -> None:
        refused.append(problem)
        if problem.code == "conflict" and not problem.hint:
            problem.hint = "--force-conflicts takes these fields over"
        tell(spoken(problem))

    with connected(doing="trying on" if terms.dry_run else "applying to") as session:
        apply_all(session, manifests, terms, on_done=report, on_problem=complain)
        if output.name and done:
            _say_objects([one.object for one in done], [one.shown for one in done], output)
        if refused:
            return exit_status(refused[0])
        if waiting.is_wanted:
            return _await(session, done, waiting)
        if not terms.dry_run and not output.name:
            _hint(done, session.namespace)
    return DONE


def _await(session: "Session", done: "list[Applied]", waiting: Waiting) -> int:
    """Waits for the jobs one after the other; the first that did not succeed makes the exit status."""
    from corral.control.desk.naming.finding import Found
    from corral.surfaces.cli.acts.awaiting import await_job

    statuses = [
        await_job(session, Found(one.resource, one.object), timeout=waiting.timeout, propagate=waiting.propagate)
        for one in done
        if one.is_training
    ]
    return next((status for status in statuses if status != DONE), DONE)


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
