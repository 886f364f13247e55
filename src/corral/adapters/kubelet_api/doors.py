"""What a node must be able to answer, seen from its HTTPS API."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import NamedTuple, Protocol

from corral.kinds.objects import Object


class Place(NamedTuple):
    """A container of a pod, by the names in the path."""

    namespace: str
    pod: str
    container: str


class Streams(NamedTuple):
    """The open files that a command reads and writes; they stay the caller's, who closes them after the start."""

    stdin: int
    stdout: int
    stderr: int
    is_terminal: bool = False


class DoorClosedError(Exception):
    """A question that is answered with a refusal: an HTTP status, and a sentence for people."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Command(Protocol):
    """A command that runs in a container."""

    async def wait(self) -> int:
        """Returns its exit code when it has ended; 128 and the number of a signal that ended it."""

    def hang_up(self) -> None:
        """Tells it that nobody listens any more, as a terminal does that is closed; harmless after its end."""


class Doors(Protocol):
    """The answers of a node. Whatever cannot be answered raises DoorClosedError."""

    def ailment(self) -> str:
        """Returns what is wrong with the node; "" when it is well."""

    def pods(self) -> Sequence[Object]:
        """Returns the pods that the node knows, with their present status."""

    async def summary(self) -> Object:
        """Returns what the node and its pods use, in the form of a kubelet's `/stats/summary`."""

    def log(self, place: Place, query: Mapping[str, str]) -> AsyncGenerator[bytes, None]:
        """Returns the part of a log that a query asks for; refuses before the first piece is taken."""

    async def run(self, place: Place, argv: Sequence[str], streams: Streams) -> Command:
        """Starts a command in a running container."""
