"""The mark: a few bytes beside the state file that remember the newest acknowledged revision.

SQLite drops the tail of a write-ahead log from its first bad frame on, silently: right for a torn write that nobody
was told about, wrong for acknowledged ones. The mark is the witness. It is written after the log's fsync and before the
reply, without an fsync of its own: it survives the death of the process, and after a power cut it can only be older than
the log, never newer. At start, a log that ends before the mark has lost acknowledged writes and is not served.
"""

import os
import struct
import zlib
from pathlib import Path

from corral.engine.apiserver.storage.damage import NO_ROOM

_FORM = struct.Struct("<8sQI")
_MAGIC = b"CRLMARK1"


class Mark:
    """The newest acknowledged revision, in a file of 20 bytes that is overwritten in place."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def read(self) -> int | None:
        """Returns the revision, or None when the file is new or unreadable."""
        return _decoded(os.pread(self._fd, _FORM.size, 0))

    @property
    def exists(self) -> bool:
        """Says whether there ever was a mark, readable or not."""
        return os.fstat(self._fd).st_size > 0

    def write(self, revision: int) -> None:
        """Remembers a revision that is about to be acknowledged."""
        head = _FORM.pack(_MAGIC, revision, 0)[:-4]
        try:
            os.pwrite(self._fd, head + struct.pack("<I", zlib.crc32(head)), 0)
        except OSError as error:
            # The log has the write, durably; an older mark is a weaker witness and no loss.
            if error.errno not in NO_ROOM:
                raise

    def close(self) -> None:
        """Closes the file; the mark stays."""
        os.close(self._fd)


def _decoded(raw: bytes) -> int | None:
    if len(raw) != _FORM.size:
        return None
    magic, revision, checksum = _FORM.unpack(raw)
    if magic != _MAGIC or checksum != zlib.crc32(raw[:-4]):
        return None
    return int(revision)
