"""`corral get`."""

import time
from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say, tell

if TYPE_CHECKING:
    from corral.control.desk.finding import Found
    from corral.control.desk.session import Session
    from corral.kinds.references import ApiResource


@click.command()
@click.argument("kind", default="")
@click.argument("name", default="")
@click.option("-A", "--all-namespaces", "everywhere", is_flag=True, help="Look in all namespaces.")
@click.option(
    "-o", "--output", type=click.Choice(["wide", "json", "yaml", "name"]), default=None, help="Form of the answer."
)
@api_options
def get(kind: str, name: str, everywhere: bool, output: str | None) -> None:
    """Show jobs, the story of one job, or anything else that the API holds.

    \b
    corral get                      all training jobs
    corral get digits               the story of a job: what happened, its pods, its failures
    corral get pytorchjob/digits    the same, when several kinds have one of that name
    corral get pods -A              any kind, by its plural, singular or short name
    corral get configmap recipe -o yaml

    Jobs are shown whoever made them.
    """
    if name and everywhere:
        raise click.UsageError("a name is looked up in one namespace: leave out -A")
    with connected() as session:
        resource, name = _meant(session, kind, name)
        if name and (resource is None or output not in (None, "wide")):
            _show_one(session, _found(session, resource, name), output)
        elif resource is None or _is_training(resource):
            if name:
                _show_one(session, _found(session, resource, name), output)
            else:
                _show_jobs(session, resource, everywhere=everywhere, output=output)
        else:
            _show_kind(session, resource, name, everywhere=everywhere, output=output)


def _meant(session: "Session", kind: str, name: str) -> "tuple[ApiResource | None, str]":
    """Returns the kind and the name that the words mean; one word is a kind if there is such a kind, else a job."""
    from corral.control.desk.kinds import resource_for
    from corral.errors import PermanentError

    if "/" in kind:
        if name:
            raise click.UsageError("either KIND/NAME or KIND NAME")
        kind, _, name = kind.partition("/")
    if not kind:
        return None, ""
    if name:
        return resource_for(session.store.catalogue(), kind), name
    try:
        return session.store.catalogue().find(kind).resource, ""
    except PermanentError as error:
        if error.code != "unknown-kind":
            raise
        return None, kind


def _found(session: "Session", resource: "ApiResource | None", name: str) -> "Found":
    from corral.control.desk.finding import job_or_pod, named

    return job_or_pod(session, name, pods=False) if resource is None else named(session, resource, name)


def _is_training(resource: "ApiResource") -> bool:
    from corral.control.desk.kinds import is_training

    return is_training(resource)


def _show_jobs(session: "Session", resource: "ApiResource | None", *, everywhere: bool, output: str | None) -> None:
    from corral.control.desk.looking import jobs_in, lines_of

    jobs = jobs_in(session, resource, everywhere=everywhere)
    if output in ("json", "yaml", "name"):
        _print_objects(jobs, output, is_list=True)
        return
    if not jobs:
        tell("no training jobs" + (" in any namespace" if everywhere else f" in namespace {session.namespace}"))
        return
    from corral.surfaces.cli.render.job_table import job_table

    lines = lines_of(session, jobs, everywhere=everywhere)
    say(job_table(lines, time.time(), everywhere=everywhere, wide=output == "wide"))


def _show_one(session: "Session", found: "Found", output: str | None) -> None:
    if output in ("json", "yaml", "name"):
        _print_objects([found], output, is_list=False)
        return
    from corral.control.desk.looking import events_of, pods_in
    from corral.control.desk.story import story_of
    from corral.surfaces.cli.render.job_story import job_story

    pods = pods_in(session.store, found.pods)
    say(job_story(story_of(found, pods, events_of(session, found, pods)), time.time()))


def _show_kind(session: "Session", resource: "ApiResource", name: str, *, everywhere: bool, output: str | None) -> None:
    from corral.control.desk.finding import Found, named
    from corral.control.desk.looking import table_of
    from corral.ports.object_store import Scope
    from corral.surfaces.cli.render.server_table import server_table

    if output in ("json", "yaml", "name"):
        scope = Scope(session.namespace if resource.namespaced and not everywhere else "")
        _print_objects([Found(resource, one) for one in session.store.list(resource, scope)], output, is_list=True)
        return
    answer = table_of(session, resource, name, everywhere=everywhere)
    if not answer.get("rows"):
        if name:
            named(session, resource, name)  # raises, and says what is near
        where = f" in namespace {session.namespace}" if resource.namespaced and not everywhere else ""
        tell(f"no {resource.plural}{where}")
        return
    say(server_table(answer, everywhere=everywhere and resource.namespaced, wide=output == "wide"))


def _print_objects(found: "list[Found]", output: str, *, is_list: bool) -> None:
    from corral.surfaces.cli.render.objects import as_document

    if output == "name":
        for one in found:
            say(one.shown)
    else:
        say(as_document([one.object for one in found], output, is_list=is_list))
