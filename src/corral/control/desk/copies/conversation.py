"""Talking with the `tar` of a container: its archive, its complaints, and what they mean."""

import threading
from types import TracebackType

from corral.errors import CorralError, PermanentError
from corral.ports.remote_commands import RunningCommand

_MOST_TOLD = 4096
_MOST_DRAINED = 1 << 20
_MISSING = (126, 127)
"""What a node says instead of an exit code when there is no such program."""
_HARMLESS = b"file changed as we read it"
"""A job that writes its log while it is copied is no failure: what was there has come."""


class CommandEndedError(Exception):
    """Nobody reads any more what is sent."""


class Output:
    """What a command prints, as a file to read from; its complaints are kept apart."""

    def __init__(self, running: RunningCommand) -> None:
        self.running = running
        self.complaints = bytearray()
        self._pieces = running.pieces()
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Returns at most so many bytes, none at the end."""
        while not self._rest:
            said = next(self._pieces, None)
            if said is None:
                return b""
            if said.is_error:
                self.complaints += said.data[: max(_MOST_TOLD - len(self.complaints), 0)]
            else:
                self._rest = said.data
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def has_ended(self) -> bool:
        """Reads on to the end; False when that does not come soon."""
        read = 0
        while data := self.read(_MOST_DRAINED):
            read += len(data)
            if read > _MOST_DRAINED:
                return False
        return True


class Hearer:
    """Listens to a command while another thread sends to it."""

    def __init__(self, running: RunningCommand) -> None:
        self.output = Output(running)
        self._running = running
        self._failure: CorralError | None = None
        self._thread = threading.Thread(target=self._hear, daemon=True)

    def _hear(self) -> None:
        try:
            self.output.has_ended()
        except CorralError as error:
            self._failure = error

    def __enter__(self) -> "Hearer":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is not None:
            self._running.close()
        self._thread.join()
        if kind is None and self._failure is not None:
            raise self._failure

    def send(self, data: bytes) -> None:
        """Sends on, as long as somebody reads it."""
        if not self._thread.is_alive():
            raise CommandEndedError
        self._running.send(data)


def judged(running: RunningCommand, output: Output, what: str) -> str:
    """Returns what is to be noted about a command that went well; one that did not is an error in its own words."""
    if not output.has_ended():
        raise PermanentError("bad-archive", f"{what}: the container sends more than an archive")
    try:
        code = running.exit_code()
    except PermanentError as error:
        raise _without_tar(what, error.message) from error
    told = bytes(output.complaints)
    if code in _MISSING:
        raise _without_tar(what, _complaint(told))
    lines = [line for line in told.splitlines() if line.strip()]
    if code == 0 or (code == 1 and lines and all(_HARMLESS in line for line in lines)):
        return "; ".join(line.decode(errors="replace") for line in lines)
    raise PermanentError("copy-failed", f"{what}: {_complaint(told) or f'tar ended with {code}'}")


def _without_tar(what: str, why: str) -> PermanentError:
    return PermanentError("copy-failed", f"{what}: {why}", hint="copying needs a `tar` and a `test` in the container")


def _complaint(told: bytes) -> str:
    """Returns the line that says most: the first, since `tar` ends with a summary of its own failure."""
    lines = [line.strip() for line in told.decode(errors="replace").splitlines() if line.strip()]
    return lines[0] if lines else ""
