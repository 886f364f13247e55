"""`corral get`."""

import time
from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say, say_painted, tell
from corral.surfaces.cli.words.all_namespaces import all_namespaces_option
from corral.surfaces.cli.words.output_form import OutputForm, output_option
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session
    from corral.kinds.references import ApiResource
    from corral.surfaces.cli.render.job_story import Asked


@click.command()
@click.argument("kind", default="")
@click.argument("name", default="")
@type_option
@click.option("-e", "--events", is_flag=True, help="Of a job: everything that was said about it and its pods.")
@click.option("-g", "--gpus", is_flag=True, help="Of a job: its GPUs, pod by pod.")
@all_namespaces_option()
@output_option()
@click.option("--show-managed-fields", "managers", is_flag=True, help="With JSON and YAML: also who wrote which field.")
@api_options
def get(
    kind: str, name: str, trainer: str, events: bool, gpus: bool, everywhere: bool, output: OutputForm, managers: bool
) -> None:
    """Show one job in full, or anything else that the API holds.

    \b
    corral get digits               a job: its pods, what happened, its failures
    corral get digits -e            and all events
    corral get pytorchjob/digits    the same, when several kinds have the name
    corral get                      all training jobs, as `corral list`
    corral get pods -A              any kind, by its plural or short name
    corral get configmap recipe -o yaml

    Jobs are shown whoever made them.
    """
    from corral.control.desk.naming.finding import Found
    from corral.surfaces.cli.render.job_story import Asked

    if name and everywhere:
        raise click.UsageError("a name is looked up in one namespace: leave out -A")
    if trainer and name:
        raise click.UsageError("either -T TYPE NAME or KIND NAME")
    asked = Asked(events, gpus)
    with connected() as session:
        meant = _meant(session, kind, name, trainer)
        if not isinstance(meant, Found):
            _show_kind(session, meant, trainer=trainer, everywhere=everywhere, output=output, managers=managers)
        elif not output.is_for_people:
            _say_object(meant, output, managers=managers)
        elif _is_job(meant):
            _show_job(session, meant, asked)
        else:
            _show_table(session, meant.resource, meant.key.name, wide=output.is_wide)


def _meant(session: "Session", kind: str, name: str, trainer: str) -> "Found | ApiResource | None":
    """Returns the object that the words mean, or the kind; one word is a kind that all servers have, a job, or a kind."""
    from corral.control.desk.naming.finding import job_or_pod, kind_meant, named
    from corral.control.desk.naming.kinds import known_word
    from corral.ports.refusals import NotFoundError

    if "/" in kind:
        if name:
            raise click.UsageError("either KIND/NAME or KIND NAME")
        kind, _, name = kind.partition("/")
    if not kind:
        return None
    if name:
        return named(session, kind_meant(session, kind), name)
    if trainer:
        return job_or_pod(session, kind, pods=False, trainer=trainer)
    if (known := known_word(kind)) is not None:
        return known
    try:
        return job_or_pod(session, kind, pods=False)
    except NotFoundError:
        if (served := _served(session, kind)) is not None:
            return served
        raise


def _served(session: "Session", word: str) -> "ApiResource | None":
    """Returns the kind that a server calls so, None when there is none."""
    from corral.errors import PermanentError

    try:
        return session.store.catalogue().find(word).resource
    except PermanentError:
        return None


def _is_job(found: "Found") -> bool:
    from corral.kinds.well_known import JOB

    return found.is_training or found.resource == JOB


def _say_object(found: "Found", output: OutputForm, *, managers: bool) -> None:
    from corral.surfaces.cli.render.objects import say_data

    say_data(found.object, [found.shown], output, with_managers=managers)


def _show_job(session: "Session", found: "Found", asked: "Asked") -> None:
    from corral.control.desk.jobs.events import events_of
    from corral.control.desk.jobs.looking import pods_in
    from corral.control.desk.jobs.story import story_of
    from corral.control.desk.jobs.tensorboards import tensorboard_of
    from corral.control.desk.why.facts import lack_of
    from corral.control.desk.why.lacks import remedies
    from corral.surfaces.cli.acts.job_listing import note
    from corral.surfaces.cli.render.job_story import job_story
    from corral.surfaces.cli.render.terminal import surroundings

    pods = pods_in(session.store, found.pods, on_note=note)
    events = events_of(session, found, pods, only_warnings=not asked.events, on_note=note)
    story = story_of(found, pods, events, with_routine=asked.events)
    story = story._replace(tensorboard=tensorboard_of(session, found, pods))
    lack = lack_of(session, found) if story.line.state == "Failed" or story.line.restarts else None
    say_painted(
        job_story(story._replace(lack=lack.sentence if lack is not None else ""), time.time(), surroundings(), asked)
    )
    if lack is not None:
        tell(f"hint: {remedies(lack, found, is_here=session.is_embedded)[0]}")
    if asked.gpus:
        tell(
            "note: how busy GPUs are is not measured yet" if story.line.gpus_requested else "note: it asks for no GPUs"
        )


def _show_kind(
    session: "Session",
    resource: "ApiResource | None",
    *,
    trainer: str,
    everywhere: bool,
    output: OutputForm,
    managers: bool,
) -> None:
    """Shows all objects of a kind, or all training jobs."""
    from corral.control.desk.naming.kinds import is_training

    if resource is None or is_training(resource):
        from corral.control.desk.jobs.looking import Wanted
        from corral.surfaces.cli.acts.job_listing import show_jobs

        wanted = Wanted(trainer, everywhere=everywhere)
        show_jobs(session, wanted, output, resource=resource, with_managers=managers)
    elif output.is_for_people:
        _show_table(session, resource, everywhere=everywhere, wide=output.is_wide)
    else:
        from corral.control.desk.naming.finding import Found
        from corral.ports.object_store import Scope
        from corral.surfaces.cli.render.objects import list_of, say_data

        scope = Scope(session.namespace if resource.namespaced and not everywhere else "")
        found = [Found(resource, one) for one in session.store.list(resource, scope)]
        objects, names = [one.object for one in found], [one.shown for one in found]
        say_data(list_of(objects), names, output, with_managers=managers)


def _show_table(
    session: "Session", resource: "ApiResource", name: str = "", *, everywhere: bool = False, wide: bool = False
) -> None:
    from corral.control.desk.jobs.looking import table_of
    from corral.surfaces.cli.render.server_table import server_table
    from corral.surfaces.cli.render.terminal import surroundings

    answer = table_of(session, resource, name, everywhere=everywhere)
    if answer.get("rows"):
        say(server_table(answer, surroundings(), everywhere=everywhere and resource.namespaced, wide=wide))
    else:
        where = f" in namespace {session.namespace}" if resource.namespaced and not everywhere else ""
        tell(f"no {resource.plural}{where}")
