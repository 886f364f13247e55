"""Times before lines, as `kubectl logs --timestamps` shows them. Pure."""

from datetime import UTC, datetime

from corral.engine.node.logs.time_index import Marks

_SECOND = 1_000_000_000


def stamp(moment: int) -> bytes:
    """Returns a time in nanoseconds since the epoch in the form RFC3339Nano, and a space."""
    seconds, rest = divmod(moment, _SECOND)
    shown = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{shown}.{rest:09d}Z ".encode()


def stamped(data: bytes, position: int, marks: Marks, last_written: int, is_line_start: bool) -> bytes:
    """Returns a piece of a log with a time before each line that begins in it.

    A line has the time by which its first byte was seen; what no mark tells of yet, that of the last writing.
    """
    out: list[bytes] = []
    begin, holds_until, mark = 0, -1, b""
    if not is_line_start:
        begin = data.find(b"\n") + 1 or len(data)
        out.append(data[:begin])
    while begin < len(data):
        if position + begin >= holds_until:
            moment, holds_until = marks.time_of(position + begin, last_written)
            mark = stamp(moment)
        end = data.find(b"\n", begin) + 1 or len(data)
        out += (mark, data[begin:end])
        begin = end
    return b"".join(out)
