"""Commands in containers over a WebSocket, in the fourth or fifth version of Kubernetes' protocol.

Each message begins with the number of its channel. The socket lives in an event loop of its own thread, so that callers can
block and signals reach them; nothing is queued in between, so a slow reader slows the command down.
"""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from aiohttp import ClientWebSocketResponse, WSMsgType

from corral.adapters.kubernetes import calls
from corral.adapters.kubernetes.access import DEFAULT_TIMEOUTS, Access
from corral.adapters.kubernetes.async_transport import AsyncTransport
from corral.adapters.kubernetes.retrying import RetryPolicy
from corral.adapters.kubernetes.unreachable import dead_stream
from corral.errors import BugError, PermanentError
from corral.kinds.well_known import POD
from corral.ports.remote_commands import RemoteCommand, Said

T = TypeVar("T")

PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
"""The fifth can tell the end of input; servers before Kubernetes 1.30 know the fourth only."""
_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE = range(5)
_END_OF_INPUT = bytes([255, _STDIN])
_PIECE_BYTES = 32 << 10
_PULSE_SECONDS = 30.0
"""How often an idle connection is given a sign of life; balancers drop those that have none for a minute."""
_TRAIL_SECONDS = 2.0
"""How long after its end was told a command's last words may come."""


class WebSocketCommand:
    """Implements `RunningCommand`."""

    def __init__(self, access: Access, policy: RetryPolicy, command: RemoteCommand) -> None:
        self._call = calls.run(POD, command)
        self._access = access
        self._transport = AsyncTransport(access, policy, DEFAULT_TIMEOUTS)
        self._status: dict[str, Any] | None = None
        self._socket: ClientWebSocketResponse | None = None
        self._closing = threading.RLock()  # a handler of signals may come in between
        self._is_closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="corral-command", daemon=True)
        self._thread.start()
        try:
            self._done(self._open())
        except BaseException:
            self.close()
            raise

    # --- see corral.ports.remote_commands for the contracts ---

    def send(self, data: bytes) -> None:
        """Sends input in pieces that every server takes."""
        with suppress(CancelledError):
            for start in range(0, len(data), _PIECE_BYTES):
                self._done(self._sent(bytes([_STDIN]) + data[start : start + _PIECE_BYTES]))

    def end_input(self) -> bool:
        """Tells the end of input, in the version that can."""
        if self._open_socket.protocol != PROTOCOLS[0]:
            return False
        with suppress(CancelledError):
            self._done(self._sent(_END_OF_INPUT))
        return True

    def resize(self, columns: int, rows: int) -> None:
        """Tells the size of a terminal."""
        size = bytes([_RESIZE]) + msgspec.json.encode({"Width": columns, "Height": rows})
        with suppress(CancelledError):
            self._begun(self._sent(size))

    def pieces(self) -> Iterator[Said]:
        """Yields what comes on the two outputs."""
        while (said := self._done(self._next())) is not None:
            yield said

    def exit_code(self) -> int:
        """Returns what the error channel has told."""
        if self._status is None:
            raise BugError("no-exit-code", "a command was asked for its end before it had ended")
        return exit_code_in(self._status)

    def close(self) -> None:
        """Ends the connection, the loop and its thread."""
        with self._closing:
            if self._is_closed:
                return
            self._is_closed = True
            ending = asyncio.run_coroutine_threadsafe(self._ended(), self._loop)
        ending.result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # --- inside the loop ---

    def _begun(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Begins something in the loop; after the end of the loop it is cancelled at once."""
        with self._closing:
            if self._is_closed:
                work.close()
                raise CancelledError
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _done(self, work: Coroutine[Any, Any, T]) -> T:
        waiting = self._begun(work)
        try:
            return waiting.result()
        except BaseException:
            waiting.cancel()
            raise

    @property
    def _open_socket(self) -> ClientWebSocketResponse:
        assert self._socket is not None, "a command has a socket as soon as it was made"
        return self._socket

    async def _open(self) -> None:
        self._socket = await self._transport.upgrade(self._call, PROTOCOLS)
        self._pulse = asyncio.create_task(self._beat())  # held, or it could be collected

    async def _beat(self) -> None:
        """Gives signs of life; no answer is waited for, since a server that is held up by a command gives none."""
        while True:
            await asyncio.sleep(_PULSE_SECONDS)
            with suppress(ConnectionError):
                await self._open_socket.ping()

    async def _sent(self, message: bytes) -> None:
        with suppress(ConnectionError):
            await self._open_socket.send_bytes(message)

    async def _next(self) -> Said | None:
        """Returns the next piece; None at the end, which is the server's farewell after it has told how it came out."""
        while True:
            try:
                limit = None if self._status is None else _TRAIL_SECONDS
                message = await self._open_socket.receive(limit)
            except TimeoutError:
                return None
            if message.type not in (WSMsgType.BINARY, WSMsgType.TEXT):
                self._refuse_early_end(message.data)
                return None
            data: bytes = message.data.encode() if isinstance(message.data, str) else message.data
            channel, rest = data[:1], data[1:]
            if rest and channel in (bytes([_STDOUT]), bytes([_STDERR])):
                return Said(rest, is_error=channel[0] == _STDERR)
            if rest and channel == bytes([_ERROR]):
                self._status = _status_in(rest)

    def _refuse_early_end(self, told: Any) -> None:
        if self._status is None:
            cause = told if isinstance(told, Exception) else ConnectionError("it was closed before the command ended")
            raise dead_stream(self._call, self._access, cause)

    async def _ended(self) -> None:
        """Gives up everything that is under way and hangs up."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others)
        if self._socket is not None:
            await self._socket.close()
        await self._transport.close()


def _status_in(message: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(message, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {"status": "Failure", "message": message.decode(errors="replace")}


def exit_code_in(status: dict[str, Any]) -> int:
    """Returns the exit code that a Status tells; one that tells of something else says why the command was not run."""
    if status.get("status") == "Success":
        return 0
    for cause in (status.get("details") or {}).get("causes") or ():
        if cause.get("reason") == "ExitCode" and str(cause.get("message", "")).isdigit():
            return int(cause["message"])
    why = status.get("message") or "it was not told why"
    raise PermanentError("command-not-run", f"the command could not be run: {why}")
