"""Commands inside of containers: starting one, talking with it, and how it ended.

A running command is used by two threads at most: one that sends, and one that listens. Whoever started it closes it, however
it ended; a command whose caller goes is told so by its node as the hanging up of a terminal.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from corral.errors import BugError
from corral.kinds.references import ObjectKey


class RemoteCommand(NamedTuple):
    """What to run, and where; the words are an argument list that no shell reads."""

    pod: ObjectKey
    container: str
    words: tuple[str, ...]
    takes_input: bool = False
    has_terminal: bool = False


class Said(NamedTuple):
    """A piece of what a command says; with a terminal there is one output for both."""

    data: bytes
    is_error: bool = False


class RunningCommand(Protocol):
    """A command that was started."""

    def send(self, data: bytes) -> None:
        """Sends input; returns when more can be taken. To a command that has ended or was closed it does nothing."""

    def end_input(self) -> bool:
        """Tells that there is no more input; False when the server has no words for that, so that the command goes on waiting."""

    def resize(self, columns: int, rows: int) -> None:
        """Tells the size of our terminal; never waits, so that a handler of signals may call it."""

    def pieces(self) -> Iterator[Said]:
        """Yields what the command says until it ends; a cut of the connection before that is UnreachableError."""

    def exit_code(self) -> int:
        """Returns how it ended, after the last piece; one that could not be run at all is PermanentError."""

    def close(self) -> None:
        """Lets go of it; closing twice is harmless."""


CommandStarter = Callable[[RemoteCommand], RunningCommand]
"""Starts a command and returns when it was accepted. What a call may be refused for, this may be as well."""


def no_commands(command: RemoteCommand) -> RunningCommand:
    """Stands where nobody is able to run commands."""
    raise BugError("no-commands", f"nothing runs commands here: {' '.join(command.words)}")
