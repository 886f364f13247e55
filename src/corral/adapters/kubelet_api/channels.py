"""The channels between a client and a command, whatever carries them; their numbers are those of a WebSocket's messages."""

from typing import NamedTuple, Protocol

import msgspec

from corral.kinds.objects import Object

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
V4, V5 = "v4.channel.k8s.io", "v5.channel.k8s.io"
"""In the fifth version a client can close its input; in the fourth it cannot."""


class Message(NamedTuple):
    """Something that came on a channel."""

    channel: int
    data: bytes


class Channels(Protocol):
    """One client, as a command meets it."""

    async def receive(self) -> Message | None:
        """Returns what comes next, None when the client has gone; the end of input is a CLOSE of STDIN."""

    async def send(self, channel: int, data: bytes) -> None:
        """Sends on a channel; returns when the client could take more. A client that has gone is a ConnectionError."""

    async def finish(self, status: Object) -> None:
        """Tells how it ended and closes everything; a client that has gone misses nothing."""


END_OF_INPUT = Message(CLOSE, bytes([STDIN]))


class Window(msgspec.Struct, rename="pascal"):
    """The size of a terminal, in letters."""

    width: int = 80
    height: int = 24


class Wanted(NamedTuple):
    """What a request wants of a command."""

    argv: tuple[str, ...]
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


def wanted_in(query: list[tuple[str, str]]) -> Wanted:
    """Returns what a kubelet's query asks for."""
    given = dict(query)
    stdin, stdout, stderr, tty = (given.get(name) in ("1", "true") for name in ("input", "output", "error", "tty"))
    return Wanted(tuple(value for name, value in query if name == "command"), stdin, stdout, stderr and not tty, tty)


def status_of(exit_code: int) -> Object:
    """Returns what the error channel says about the end of a command."""
    if exit_code == 0:
        return {"metadata": {}, "status": "Success"}
    told = f"command terminated with non-zero exit code: {exit_code}"
    causes = [{"reason": "ExitCode", "message": str(exit_code)}]
    return {**_failure(told, "NonZeroExitCode"), "details": {"causes": causes}}


def refusal_of(message: str) -> Object:
    """Returns what the error channel says about a command that could not be run."""
    return {**_failure(message, "InternalError"), "code": 500}


def _failure(message: str, reason: str) -> Object:
    return {"metadata": {}, "status": "Failure", "message": message, "reason": reason}


def window_in(message: bytes) -> Window | None:
    """Returns the size in a message of the resize channel; None when it cannot be read."""
    try:
        window = msgspec.json.decode(message, type=Window)
    except msgspec.DecodeError:
        return None
    return window if 0 < window.width < 1 << 16 and 0 < window.height < 1 << 16 else None
