"""The second half of every command that makes a job: show the objects, or send them, tell what was made, and wait."""

import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from corral.surfaces.cli.connection import chosen_api, connected
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.speech.exit_codes import DONE
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.words.dry_run import Trial
from corral.surfaces.cli.words.durations import seconds_given
from corral.surfaces.cli.words.output_form import FORMS, FormType, OutputForm

if TYPE_CHECKING:
    from corral.control.desk.making.needs import Needs
    from corral.control.desk.making.submitting import Made
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session
    from corral.kinds.objects import Object
    from corral.kinds.references import ApiResource

F = TypeVar("F", bound=Callable[..., Any])
_FORMS = tuple(form for form in FORMS if form != "wide")


class Sending(NamedTuple):
    """What was said about how a job is sent."""

    dry_run: str = "none"
    output: OutputForm = OutputForm()
    quiet: bool = False
    sets: tuple[str, ...] = ()
    wait: bool = False
    propagate: bool = False
    timeout: int | None = None
    key: str = ""


def sending_params() -> list[click.Parameter]:
    """Returns the options of a `Sending`; their names are its fields."""
    return [
        click.Option(
            ["--dry-run", "dry_run"],
            type=Trial(),
            is_flag=False,
            flag_value="client",
            default="none",
            help="Show the objects and make none; server lets the API check them.",
        ),
        click.Option(
            ["-o", "--output", "output"],
            type=FormType(_FORMS),
            default=OutputForm(),
            show_default=False,
            metavar=f"[{'|'.join(_FORMS)}]",
            help="Form of the answer.",
        ),
        click.Option(["-q", "--quiet", "quiet"], is_flag=True, help="Print only the name."),
        click.Option(
            ["--set", "sets"],
            multiple=True,
            metavar="PATH=VALUE",
            help="Set a field of the job, as spec.runPolicy.suspend=true; repeatable.",
        ),
        click.Option(["--wait", "wait"], is_flag=True, help="Wait for its end; exit with 0 only if it succeeds."),
        click.Option(
            ["--propagate", "propagate"], is_flag=True, help="With --wait: exit with the code of the training."
        ),
        click.Option(
            ["--timeout", "timeout"], callback=seconds_given, metavar="TIME", help="With --wait: at most 90s, 10m, 2h."
        ),
        click.Option(
            ["--idempotency-key", "key"],
            default="",
            metavar="TEXT",
            help="A job of this name that was made with the same key counts as made.",
        ),
    ]


def sending_options(command: F) -> F:
    """Adds the options of a `Sending` to a command."""
    params: list[click.Parameter] = getattr(command, "__click_params__", [])
    command.__click_params__ = [*params, *reversed(sending_params())]  # type: ignore[attr-defined]
    return command


def sending_given(given: dict[str, Any], *, is_followed: bool = False) -> Sending:
    """Takes the values of these options out of all that were given; a job that is followed has an end to propagate anyway."""
    sending = Sending(**{field: given.pop(field) for field in Sending._fields})
    for flag, is_given in (("--propagate", sending.propagate and not is_followed), ("--timeout", sending.timeout)):
        if is_given and not sending.wait:
            raise Mistyped(f"{flag} is about waiting", "add --wait")
    if sending.wait and sending.dry_run != "none":
        raise Mistyped("a dry run makes nothing that could be waited for", "leave out --wait or --dry-run")
    return sending


def send(
    resource: "ApiResource",
    objects_in: "Callable[[str], Sequence[Object]]",
    needs: "Needs",
    sending: Sending,
    *,
    then: "Callable[[Session, Found], int] | None" = None,
) -> int:
    """Shows or makes objects, the job first, and returns the exit status.

    `objects_in` says which they are in a namespace; without an API the one on the command line, if any. `then` goes on
    with the job and ends with its status; stdout belongs to it.
    """
    objects = with_sets(objects_in(chosen_api().namespace), sending.sets)
    if sending.dry_run == "client":
        show_objects(objects, sending)
        return DONE
    with connected(doing="" if sending.quiet else "submitting to") as session:
        objects = with_sets(objects_in(session.namespace), sending.sets)
        if then is None or sending.dry_run != "none":
            return send_in(session, resource, objects, needs, sending)
        refuse_unmet(session, needs)
        made = _submitted(session, resource, objects, sending)
        for one in made:
            tell(str(one))
        from corral.control.desk.naming.finding import Found

        return then(session, Found(made[0].resource, made[0].object))


def send_in(
    session: "Session",
    resource: "ApiResource",
    objects: "Sequence[Object]",
    needs: "Needs",
    sending: Sending,
    *,
    around: "AbstractContextManager[None] | None" = None,
) -> int:
    """Shows or makes objects, the job first, by an API that is open, and returns the exit status.

    They are made inside of `around`, which begins when nothing that they need is known to be missing.
    """
    if sending.dry_run == "client":
        show_objects(objects, sending)
        return DONE
    refuse_unmet(session, needs)
    with around or nullcontext():
        made = _submitted(session, resource, objects, sending)
    tell_made(made, sending)
    if sending.dry_run == "server":
        return DONE
    if not sending.quiet and not sending.output.name:
        tell_next(made[0].key.name, made[0].key.namespace)
    return _await(session, made[0], sending) if sending.wait else DONE


def _submitted(
    session: "Session", resource: "ApiResource", objects: "Sequence[Object]", sending: Sending
) -> "list[Made]":
    from corral.control.desk.making.submitting import submit_objects

    return submit_objects(session, resource, objects, key=sending.key, dry_run=sending.dry_run == "server")


_FLAGS = {"name": "--name", "priority": "--priority", "claims": "--data"}
"""The flags behind the needs of a job, by the fields that they fill."""


def refuse_unmet(session: "Session", needs: "Needs") -> None:
    """Ends a command whose job needs what is not there, and names the flag that asks for it."""
    from corral.control.desk.making.needs import unmet_need

    unmet = unmet_need(session, needs, on_note=lambda text: tell(f"note: {text}"))
    if unmet is not None:
        unmet.error.message = f"{_FLAGS[unmet.field]}: {unmet.error.message}"
        raise unmet.error


def with_sets(objects: "Sequence[Object]", sets: Sequence[str]) -> "list[Object]":
    """Returns objects with what --set says about the job."""
    job, *others = objects
    if not sets:
        return [job, *others]
    from corral.kinds.settings import read_setting, with_settings

    changed = with_settings(job, [read_setting(text) for text in sets])
    for field in ("apiVersion", "kind"):
        if changed.get(field) != job[field]:
            raise Mistyped(f"--set: {field} says which object this is", "leave it out")
    if not isinstance(changed.get("metadata"), dict) or not isinstance(changed.get("spec"), dict):
        raise Mistyped(
            "--set: metadata and spec are mappings", "give a path below them, as in spec.runPolicy.suspend=true"
        )
    if changed["metadata"].get("name") != job["metadata"]["name"]:
        raise Mistyped("--set: what belongs to the job has its name as well", "give --name")
    return [changed, *others]


def show_objects(objects: "Sequence[Object]", sending: Sending) -> None:
    """Writes objects in the form that was asked for, or as YAML."""
    from corral.surfaces.cli.render.objects import list_of, say_data

    names = [f"{one['kind'].lower()}{_group(one['apiVersion'])}/{one['metadata']['name']}" for one in objects]
    form = sending.output if sending.output.name else OutputForm("yaml")
    say_data(objects[0] if len(objects) == 1 else list_of(objects), names, form)


def _group(api_version: str) -> str:
    group = api_version.rpartition("/")[0]
    return f".{group}" if group else ""


def tell_made(made: "Sequence[Made]", sending: Sending) -> None:
    """Tells what was made, as much as was asked for."""
    if sending.output.name:
        show_objects([one.object for one in made], sending)
    elif sending.quiet:
        say(made[0].key.name)
    else:
        checked = " (server dry run)" if sending.dry_run == "server" else ""
        for one in made:
            say(f"{one}{checked}")


def tell_next(name: str, namespace: str) -> None:
    """Tells three lines: how to see what a job prints, why it waits, and how to end it."""
    tell_commands(
        namespace,
        (["logs", "-f", name], "its output"),
        (["why", name], "why it waits or failed"),
        (["delete", name], "end it"),
    )


def tell_commands(namespace: str, *commands: tuple[list[str], str]) -> None:
    """Tells commands that can be typed next, each with what it is good for."""
    own = namespace if chosen_api().namespace or namespace != "default" else ""
    where = chosen_api()._replace(namespace=own).words()
    for words, what in commands:
        tell(f"  {shlex.join(['corral', *words, *where]):<50}  {what}")


def _await(session: "Session", made: "Made", sending: Sending) -> int:
    """Waits for the end of a job and returns the exit status that tells it."""
    from corral.control.desk.naming.finding import Found
    from corral.surfaces.cli.acts.awaiting import await_job

    quiet = sending.quiet or bool(sending.output.name)
    job = Found(made.resource, made.object)
    return await_job(session, job, timeout=sending.timeout, propagate=sending.propagate, quiet=quiet)
