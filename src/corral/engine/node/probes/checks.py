"""What probes and hooks do: run a command in the container, ask over HTTP, connect, or wait.

Every check ends within its time and is answered with a value; one that cannot be carried out says why, and nothing about
the container.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from corral.adapters.http_checks.asking import HttpQuestion, ask_http
from corral.engine.node.environment.commands import expanded_action
from corral.engine.node.probes.tallies import KINDS
from corral.kinds.objects import Object

HOOKS = ("postStart", "preStop")


class Answer(NamedTuple):
    """Whether a check went well, and what it found in one line."""

    is_good: bool
    said: str = ""
    is_known: bool = True
    """Whether the check could be carried out; if not, it must not be held against the container."""


class Inside(Protocol):
    """Runs commands in one running container."""

    async def run(self, argv: Sequence[str], seconds: float) -> Answer:
        """Returns a good answer when the command ends with 0 within the time; it is killed when it does not."""


PortOf = Callable[[int], int]
"""From the port that a container declares to the one that its process was given."""


class Subject(NamedTuple):
    """Who is asked: a container, how to reach into it, and which ports its process was given."""

    container: Object
    inside: Inside
    host: str
    """The address of the pod."""
    port_of: PortOf


KNOWN = ("exec", "httpGet", "tcpSocket", "sleep")


def unknown_checks(container: Object) -> list[str]:
    """Returns what this node cannot ask of a container, one sentence for each probe or hook."""
    lifecycle = container.get("lifecycle") or {}
    handlers = {kind: container.get(kind) for kind in KINDS} | {kind: lifecycle.get(kind) for kind in HOOKS}
    return [
        f"{kind} by {_kind_of(handler)} is not known on this node: use exec, httpGet or tcpSocket"
        for kind, handler in handlers.items()
        if handler and not any(handler.get(known) is not None for known in KNOWN)
    ]


async def check(handler: Object, subject: Subject, seconds: float) -> Answer:
    """Carries out the action of a probe or hook."""
    try:
        return await _checked(handler, subject, seconds)
    except _NoSuchPortError as error:
        return Answer(False, str(error), is_known=False)


async def _checked(handler: Object, subject: Subject, seconds: float) -> Answer:
    if "exec" in handler:
        command = expanded_action(handler["exec"].get("command") or [], subject.container)
        return await subject.inside.run(command, seconds)
    if "httpGet" in handler:
        return Answer(*await ask_http(_question(handler["httpGet"], subject, seconds)))
    if "tcpSocket" in handler:
        return await _connect(handler["tcpSocket"], subject, seconds)
    if "sleep" in handler:
        await asyncio.sleep(min(float(handler["sleep"].get("seconds") or 0), seconds))
        return Answer(True)
    return Answer(False, f"a check by {_kind_of(handler)} is not known on this node", is_known=False)


def _kind_of(handler: Object) -> str:
    return ", ".join(sorted(name for name, value in handler.items() if isinstance(value, dict))) or "nothing"


def _question(action: Object, subject: Subject, seconds: float) -> HttpQuestion:
    port = _port(action.get("port"), subject)
    scheme = str(action.get("scheme") or "HTTP").lower()
    path = str(action.get("path") or "/")
    headers = [(str(one["name"]), str(one["value"])) for one in action.get("httpHeaders") or []]
    url = f"{scheme}://{_host(action, subject)}:{port}{path if path.startswith('/') else '/' + path}"
    return HttpQuestion(url, [*headers, ("User-Agent", "kube-probe/corral")], seconds)


async def _connect(action: Object, subject: Subject, seconds: float) -> Answer:
    host, port = _host(action, subject), _port(action.get("port"), subject)
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        return Answer(False, f"no connection to {host}:{port} within {seconds:g} s")
    except (OSError, UnicodeError) as error:
        return Answer(False, f"no connection to {host}:{port}: {error}")
    writer.close()
    return Answer(True)


def _host(action: Object, subject: Subject) -> str:
    return str(action.get("host") or subject.host)


def _port(given: object, subject: Subject) -> int:
    """Returns the port to ask: a name stands for a port of the container, and that for the one its process was given."""
    if isinstance(given, int):
        return subject.port_of(given)
    ports = subject.container.get("ports") or []
    named = next((int(one["containerPort"]) for one in ports if one.get("name") == given), None)
    if named is not None:
        return subject.port_of(named)
    if isinstance(given, str) and given.isdigit():
        return subject.port_of(int(given))
    raise _NoSuchPortError(f"container {subject.container['name']} has no port named {given!r}")


class _NoSuchPortError(Exception):
    """A check names a port that the container does not have."""
