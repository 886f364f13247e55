"""A log under test, what is read of it, and a container that appends to it."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

from corral.engine.node.logs.asked import Asked
from corral.engine.node.logs.reading import read
from corral.engine.node.logs.run_log import RunLog

FLOOD = """
import os, sys
size, line, descriptor = int(sys.argv[2]), sys.argv[3].encode() + b"\\n", os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
block = line * ((1 << 20) // len(line))
while size > 0:
    size -= os.write(descriptor, block)
"""


class RunOfLines:
    """The log of run 0 of a container, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.log = RunLog(str(folder), 0)
        self.is_over = False
        self.say(b"")

    def say(self, data: bytes) -> None:
        """Appends as a container does."""
        descriptor = os.open(self.log.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            while data:
                data = data[os.write(descriptor, data) :]
        finally:
            os.close(descriptor)

    async def shown(self, asked: Asked = Asked()) -> bytes:  # noqa: B008
        """Returns everything that is read."""
        return b"".join([piece async for piece in read(self.log, asked, lambda: self.is_over)])

    def flood(self, size: int, line: str) -> Popen[bytes]:
        """Starts a container that says the same line until so many bytes are written."""
        return Popen([sys.executable, "-c", FLOOD, self.log.path, str(size), line])

    def taken_bytes(self) -> int:
        """Returns what the log takes of the disk."""
        return os.stat(self.log.path).st_blocks * 512


def cannot_punch(_descriptor: int, _offset: int, _length: int) -> bool:
    """A file system that cannot give back blocks."""
    return False


Over = Callable[[], bool]
