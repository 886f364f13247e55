"""The log of a run for somebody who is not the node: read from its files, with times, up to its present end."""

from collections.abc import Iterator

from corral.engine.node.logs.log_file import LogFile
from corral.engine.node.logs.run_log import RunLog
from corral.engine.node.logs.stamping import stamped

PIECE_BYTES = 128 << 10


def read_kept(log: RunLog) -> Iterator[bytes]:
    """Yields a log in pieces, each line with its time before it; nothing when its file is gone."""
    try:
        file = LogFile(log)
    except FileNotFoundError:
        return
    with file:
        position, end, is_line_start = file.first(), file.end(), True
        while position < end:
            found, data = file.read(position, min(PIECE_BYTES, end - position))
            if not data:
                return
            yield stamped(data, found, file.marks(found + len(data)), file.last_written(), is_line_start)
            position, is_line_start = found + len(data), data.endswith(b"\n")
