"""The options that say which API a command talks to, and the session that they choose."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from corral import assembly

if TYPE_CHECKING:
    from corral.control.desk.session import Session

F = TypeVar("F", bound=Callable[..., Any])


def api_options(command: F) -> F:
    """Adds --context and -n to a command."""
    command = click.option(
        "--context",
        default="",
        metavar="NAME",
        help='The kube context to talk to, or "embedded"; by default CORRAL_CONTEXT, the current one, or embedded.',
    )(command)
    return click.option(
        "-n", "--namespace", default="", metavar="NAME", help="The namespace; by default that of the context."
    )(command)


@contextmanager
def connected(context: str, namespace: str, *, doing: str = "") -> "Iterator[Session]":
    """Opens the chosen API for one command; one that writes says what it is `doing`, and so names its target."""
    session = assembly.open_session(context, namespace, on_start=lambda text: click.echo(text, err=True))
    try:
        if doing:
            click.echo(f"{doing} {session.target}", err=True)
        yield session
    finally:
        session.store.close()
