"""The options that say which API a command talks to, and the session that they choose.

Arena's users give them before the command or behind it, so the root takes them as well; what stands nearer to the command
counts. They are kept in the context of the command line and not handed from function to function.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.speech.manner import MANNER
from corral.surfaces.cli.speech.mistyped import Mistyped

if TYPE_CHECKING:
    from corral.control.desk.session import Session

F = TypeVar("F", bound=Callable[..., Any])
_KEPT = "corral.api"


class ApiChoice(NamedTuple):
    """What was said on the command line about the API; "" means not said."""

    context: str = ""
    namespace: str = ""
    kubeconfig: str = ""

    def words(self) -> list[str]:
        """Returns the options again, for a command line that a hint tells to type."""
        given = (("-n", self.namespace), ("--context", self.context), ("--kubeconfig", self.kubeconfig))
        return [word for flag, value in given if value for word in (flag, value)]


def chosen_api() -> ApiChoice:
    """Returns what this command line says about the API."""
    return api_of(click.get_current_context())


def api_of(ctx: click.Context) -> ApiChoice:
    """Returns what the command line of a context says about the API."""
    choice: ApiChoice = ctx.find_root().meta.get(_KEPT, ApiChoice())
    return choice


def _keep(ctx: click.Context, option: click.Parameter, value: str) -> None:
    if value and option.name is not None:
        meta = ctx.find_root().meta
        meta[_KEPT] = meta.get(_KEPT, ApiChoice())._replace(**{option.name: value})


def namespace_given(ctx: click.Context, option: click.Parameter, value: str) -> str:
    """Returns the value of -n; what cannot be a namespace is refused before anybody is asked."""
    if value and not ctx.resilient_parsing:
        from corral.kinds.names import is_label

        if not is_label(value):
            raise Mistyped(f"{value!r} cannot be a namespace", "it is made of a-z, 0-9 and -, at most 63 of them", ctx)
    return value


def _keep_namespace(ctx: click.Context, option: click.Parameter, value: str) -> None:
    _keep(ctx, option, namespace_given(ctx, option, value))


def _debug_if_asked(_: click.Context, __: click.Parameter, level: str) -> None:
    """Takes Arena's word for more to read; its others are about log lines that there are none of."""
    MANNER.debug = MANNER.debug or level == "debug"


def _refuse(_: click.Context, option: click.Parameter, value: Any) -> None:
    if value:
        raise Mistyped(f"{option.opts[0]} is not taken", _NOT_TAKEN[option.opts[0]])


_NOT_TAKEN = {
    "--arena-namespace": "leave it out: Corral keeps nothing in a namespace of its own",
    "--helm-binary": "leave it out: Corral needs no helm",
    "--pprof": "leave it out, or use `python -X importtime -m corral ...`",
    "--trace": "use --debug",
}


def api_options(command: F) -> F:
    """Adds -n, --context and --kubeconfig to a command, and Arena's other options that every command takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "-n",
        "--namespace",
        default="",
        metavar="NAME",
        callback=_keep_namespace,
        expose_value=False,
        help="The namespace; by default CORRAL_NAMESPACE, the one that `corral use` chose, or that of the context.",
    ),
    click.option(
        "--context",
        default="",
        metavar="NAME",
        callback=_keep,
        expose_value=False,
        help='The kube context to talk to, or "embedded"; by default CORRAL_CONTEXT, the one that `corral use` chose, the current one, or embedded.',
    ),
    click.option(
        "--kubeconfig",
        "--config",
        "kubeconfig",
        default="",
        metavar="FILE",
        callback=_keep,
        expose_value=False,
        help="Read contexts from this file instead of KUBECONFIG or ~/.kube/config.",
    ),
    click.option(
        "--loglevel",
        type=click.Choice(["debug", "info", "warn", "error"]),
        default="info",
        hidden=True,
        callback=_debug_if_asked,
        expose_value=False,
    ),
    click.option("--arena-namespace", default="", hidden=True, callback=_refuse, expose_value=False),
    click.option("--helm-binary", default="", hidden=True, callback=_refuse, expose_value=False),
    click.option("--pprof", is_flag=True, hidden=True, callback=_refuse, expose_value=False),
    click.option("--trace", is_flag=True, hidden=True, callback=_refuse, expose_value=False),
)


@contextmanager
def connected(*, doing: str = "", start: bool = True) -> "Iterator[Session]":
    """Opens the chosen API for one command; one that writes says what it is `doing`, and so names its target.

    The API of this machine is started when it does not run, unless `start` is False: then that is an error.
    """
    from corral import assembly  # what only asks for help must not pay for it

    choice = chosen_api()
    session = assembly.open_session(
        choice.context,
        choice.namespace,
        kubeconfig=choice.kubeconfig,
        on_start=tell,
        on_request=tell if MANNER.debug else None,
        start=start,
    )
    try:
        if doing:
            tell(f"{doing} {session.target}")
        yield session
    finally:
        session.store.close()
