"""The pipes or the terminal between a command and a connection, as streams with bounded buffers."""

import asyncio
import fcntl
import os
import struct
import termios
from collections.abc import Callable

from corral.adapters.kubelet_api.channels import STDERR, STDOUT, Wanted, Window
from corral.adapters.kubelet_api.doors import Streams

PIECE_BYTES = 32 << 10


class Plumbing:
    """Open files for one command, and our ends of them. `connect` after it was started, `close` in any case."""

    def __init__(self, wanted: Wanted) -> None:
        self._lent: list[int] = []
        self._kept: list[int] = []
        self._closers: list[Callable[[], object]] = []
        self._input: int | None = None
        self._outputs: dict[int, int] = {}
        self._terminal: int | None = None
        self.stdin: asyncio.StreamWriter | None = None
        self.outputs: dict[int, asyncio.StreamReader] = {}
        """What the command says, by channel."""
        try:
            self.streams = self._terminal_streams() if wanted.tty else self._pipe_streams(wanted)
        except OSError:
            self.close()
            raise

    def _terminal_streams(self) -> Streams:
        master, slave = os.openpty()
        self._lend(slave)
        self._terminal = self._input = self._keep(master)
        self._outputs[STDOUT] = self._keep(os.dup(master))
        return Streams(slave, slave, slave, is_terminal=True)

    def _pipe_streams(self, wanted: Wanted) -> Streams:
        nothing = self._lend(os.open(os.devnull, os.O_RDWR))
        stdin = nothing
        if wanted.stdin:
            reading, writing = os.pipe()
            stdin, self._input = self._lend(reading), self._keep(writing)
        said: dict[int, int] = {}
        for channel, is_wanted in ((STDOUT, wanted.stdout), (STDERR, wanted.stderr)):
            if is_wanted:
                reading, writing = os.pipe()
                said[channel], self._outputs[channel] = self._lend(writing), self._keep(reading)
        return Streams(stdin, said.get(STDOUT, nothing), said.get(STDERR, nothing))

    def _lend(self, descriptor: int) -> int:
        self._lent.append(descriptor)
        return descriptor

    def _keep(self, descriptor: int) -> int:
        self._kept.append(descriptor)
        return descriptor

    async def connect(self) -> None:
        """Lets go of the command's ends, and opens ours as streams."""
        _close_all(self._lent)
        for channel, descriptor in self._outputs.items():
            self._kept.remove(descriptor)
            self.outputs[channel], close = await _reader(descriptor)
            self._closers.append(close)
        if self._input is not None:
            self._kept.remove(self._input)
            self.stdin = await _writer(self._input)
            self._closers.append(self._drop_input)

    def resize(self, window: Window) -> None:
        """Tells the terminal its size; the command hears of it."""
        if self._terminal is not None:
            fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", window.height, window.width, 0, 0))

    def _drop_input(self) -> None:
        # Closing twice is an error of the loop; one that is closing ends with the command, at the latest.
        if self.stdin is not None and not self.stdin.is_closing():
            self.stdin.transport.abort()

    def close(self) -> None:
        """Closes everything; a command that goes on finds nobody at the other end."""
        _close_all(self._lent)
        _close_all(self._kept)
        self._terminal = None
        while self._closers:
            self._closers.pop()()


def _close_all(descriptors: list[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())


async def _reader(descriptor: int) -> tuple[asyncio.StreamReader, Callable[[], object]]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(PIECE_BYTES, loop)
    pipe = os.fdopen(descriptor, "rb", buffering=0)
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader, loop=loop), pipe)
    return reader, transport.close


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(descriptor, "wb", buffering=0)
    protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader(loop=loop), loop=loop)
    transport, _ = await loop.connect_write_pipe(lambda: protocol, pipe)
    transport.set_write_buffer_limits(PIECE_BYTES)
    return asyncio.StreamWriter(transport, protocol, None, loop)
