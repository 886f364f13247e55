"""The log of a run for somebody who is not the node: read from its files, with times, up to its present end."""

from collections.abc import Iterator

from corral.engine.node.logs.log_file import LogFile
from corral.engine.node.logs.run_log import RunLog
from corral.engine.node.logs.stamping import stamped

PIECE_BYTES = 128 << 10


def read_kept(log: RunLog, last_bytes: int = 0) -> Iterator[bytes]:
    """Yields a log in pieces, each line with its time before it; nothing when its file is gone.

    With `last_bytes` only the whole lines within so many bytes at the end.
    """
    try:
        file = LogFile(log)
    except FileNotFoundError:
        return
    with file:
        first, end = file.first(), file.end()
        position = max(first, end - last_bytes) if last_bytes else first
        is_line_start = position == first
        while position < end:
            found, data = file.read(position, min(PIECE_BYTES, end - position))
            if not data:
                return
            position = found + len(data)
            if not is_line_start and last_bytes:
                skipped = data.find(b"\n") + 1
                if not skipped:
                    continue
                found, data, last_bytes, is_line_start = found + skipped, data[skipped:], 0, True
            yield stamped(data, found, file.marks(found + len(data)), file.last_written(), is_line_start)
            is_line_start, last_bytes = data.endswith(b"\n") or not data, 0
