"""Where a reader begins: so many lines before the end, or at the first line since a moment.

Both look at a huge file in pieces, from behind where that is nearer, and let the loop have its turn in between.
"""

import asyncio
from datetime import datetime

from corral.engine.node.logs.log_file import LogFile

PIECE_BYTES = 256 << 10


async def tail_start(file: LogFile, lines: int) -> int:
    """Returns where the last lines begin; a line that is not ended yet counts as one."""
    end = right = file.end()
    if lines == 0:
        return end
    while right > (first := file.first()):
        left = max(first, right - PIECE_BYTES)
        found, data = _whole(file, left, right)
        if found != left:
            return found
        stop = len(data) - 1 if right == end and data.endswith(b"\n") else len(data)
        count = data.count(b"\n", 0, stop)
        if count >= lines:
            for _ in range(lines):
                stop = data.rindex(b"\n", 0, stop)
            return left + stop + 1
        lines -= count
        right = left
        await asyncio.sleep(0)
    return first


async def since_start(file: LogFile, since: datetime) -> int:
    """Returns where the first line begins whose time is a moment or later; the end when there is none."""
    end = file.end()
    start = file.marks(end).position_since(int(since.timestamp() * 1_000_000) * 1000, file.last_written(), end)
    if start <= file.first():
        return start
    # A line has the time of its first byte: one that was begun before is left out as a whole.
    position = start - 1
    while position < end:
        found, data = file.read(position, PIECE_BYTES)
        if not data:
            return end
        if found != position:
            return found
        newline = data.find(b"\n")
        if newline >= 0:
            return position + newline + 1
        position += len(data)
        await asyncio.sleep(0)
    return end


def _whole(file: LogFile, left: int, right: int) -> tuple[int, bytes]:
    """Returns all bytes between two positions; fewer only when some of them are kept no more."""
    start, data = file.read(left, right - left)
    while data and start + len(data) < right:
        _, more = file.read(start + len(data), right - start - len(data))
        if not more:
            break
        data += more
    return start, data
