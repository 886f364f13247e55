"""Where the words for a parameter come from: guessed from its name, so that no command need say a word about it."""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem

from corral.surfaces.cli.connection import api_of

if TYPE_CHECKING:
    from corral.control.desk.session import Session

PATIENCE: Final = 0.5
"""Seconds within which an API answers, or is not asked any more."""

Source = Callable[[click.Context], Iterator[str]]


def teach(command: click.Command) -> None:
    """Lets the parameters of a command complete themselves, those that do not know how to."""
    for parameter in command.params:
        if (complete := _completer_of(command, parameter)) is not None:
            setattr(parameter, "shell_complete", complete)  # noqa: B010 - it is a method of the class


Completer = Callable[[click.Context, str], list[CompletionItem]]


def _completer_of(command: click.Command, parameter: click.Parameter) -> Completer | None:
    metavar = (parameter.metavar or "").strip("[].")
    if metavar in _PATHS:
        return lambda _ctx, _word: [CompletionItem("", type=_PATHS[metavar])]
    if metavar == "JOB":
        source: Source | None = _jobs
    elif isinstance(parameter, click.Argument):
        source = _OF_ARGUMENTS.get(f"{command.name} {parameter.name}") or _OF_ARGUMENTS.get(str(parameter.name))
    else:
        source = _OF_OPTIONS.get(str(parameter.name))
    return _completer(source) if source is not None else None


def _completer(source: Source) -> Completer:
    def complete(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(word) for word in dict.fromkeys(source(ctx)) if word.startswith(incomplete)]

    return complete


# --- words without asking anybody ---------------------------------------------------------------------------------


def _contexts(ctx: click.Context) -> Iterator[str]:
    from corral import assembly

    yield from (one.name for one in assembly.known_contexts(kubeconfig=api_of(ctx).kubeconfig).known)


def _settings(_: click.Context) -> Iterator[str]:
    from corral.control.settings.table import SETTINGS

    yield from (one.name for one in SETTINGS if one.in_files)


def _values(ctx: click.Context) -> Iterator[str]:
    from corral.control.settings.table import BY_NAME

    setting = BY_NAME.get(str(ctx.params.get("key")))
    if setting is not None and setting.name in ("context", "namespace"):
        yield from (_contexts if setting.name == "context" else _namespaces)(ctx)
    elif setting is not None:
        yield from setting.choices


def _topics(_: click.Context) -> Iterator[str]:
    from corral.surfaces.cli.commands import COMMANDS
    from corral.surfaces.cli.topics import TOPICS

    yield from TOPICS
    yield from COMMANDS


# --- names that an API knows --------------------------------------------------------------------------------------


def _glance(ctx: click.Context) -> "Session | None":
    from corral import assembly

    return assembly.open_glance(PATIENCE, **api_of(ctx)._asdict())


def _jobs(ctx: click.Context) -> Iterator[str]:
    from corral.control.desk.naming.names import job_names

    if (session := _glance(ctx)) is not None:
        yield from job_names(session, time.monotonic() + PATIENCE)


def _kinds_and_jobs(ctx: click.Context) -> Iterator[str]:
    from corral.control.desk.naming.names import FREQUENT_KINDS

    yield from _jobs(ctx)
    yield from FREQUENT_KINDS


def _namespaces(ctx: click.Context) -> Iterator[str]:
    from corral.control.desk.naming.names import names_of
    from corral.kinds.well_known import NAMESPACE

    if (session := _glance(ctx)) is not None:
        yield from names_of(session, NAMESPACE)


def _nodes(ctx: click.Context) -> Iterator[str]:
    from corral.control.desk.naming.names import names_of
    from corral.kinds.well_known import NODE

    if (session := _glance(ctx)) is not None:
        yield from names_of(session, NODE)


def _queues(ctx: click.Context) -> Iterator[str]:
    from corral.control.desk.naming.names import names_of
    from corral.kinds.queues.queue import QUEUE

    if (session := _glance(ctx)) is not None:
        yield from names_of(session, QUEUE)


def _instances(ctx: click.Context) -> Iterator[str]:
    """Yields the pods of the job that stands on the line already."""
    from corral.control.desk.naming.names import pods_of_job

    given = next((ctx.params[name] for name in ("job", "name") if ctx.params.get(name)), "")
    if (session := _glance(ctx)) is not None:
        yield from pods_of_job(session, str(given).rpartition("/")[2])


_PATHS: Final = {"FILE": "file", "PATH": "file", "SCRIPT": "file", "FOLDER": "dir", "VENV": "dir"}
"""Parameters whose values are files or folders, by how they are shown in help."""
_OF_OPTIONS: Final[dict[str, Source]] = {
    "namespace": _namespaces,
    "context": _contexts,
    "instance": _instances,
    "queue": _queues,
}
"""By the name of the parameter."""
_OF_ARGUMENTS: Final[dict[str, Source]] = {
    "job": _jobs,
    "jobs": _jobs,
    "delete names": _jobs,
    "get kind": _kinds_and_jobs,
    "get name": _jobs,
    "node names": _nodes,
    "queue names": _queues,
    "job name": _jobs,
    "use name": _contexts,
    "set key": _settings,
    "set value": _values,
    "unset key": _settings,
    "help words": _topics,
}
"""By the name of the argument, or by the command and it."""
