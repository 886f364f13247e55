"""Giving up the oldest part of a log that has grown too long, without holding up the container that writes it.

Where the file system can, blocks are given back in place: nothing is copied, and nothing that is kept can be lost. Elsewhere
the newest part is copied aside and the file cut to nothing; what is written between the last look and the cut, some
microseconds, is lost then. Either way positions stay what they are, and readers are told before it happens.
"""

import os

from corral.engine.node.logs import hole_punching
from corral.engine.node.logs.hole_punching import BLOCK_BYTES, Punch, is_possible
from corral.engine.node.logs.run_log import RunLog
from corral.engine.node.logs.time_index import Kept, TimeIndex
from corral.engine.small_files import open_plain

SLACK = 8
"""A log is cut when it is longer than allowed by an eighth, so that each cut is worth its while."""
_LINE_BYTES = 64 << 10
_COPY_BYTES = 1 << 20


def is_too_long(kept: Kept, end: int, keep_bytes: int) -> bool:
    """Whether a log that ends at a position should be cut."""
    return end - kept.first > keep_bytes + keep_bytes // SLACK


def cut(log: RunLog, index: TimeIndex, keep_bytes: int, punch: Punch = hole_punching.punch) -> None:
    """Leaves the last `keep_bytes` of a log, from the beginning of a line where one is near."""
    descriptor = open_plain(log.path, os.O_RDWR)
    try:
        if index.kept.base == 0 and is_possible(descriptor, punch):
            _give_back(descriptor, index, keep_bytes, punch)
        else:
            _copy_and_cut(descriptor, log, index, keep_bytes // 2)
    finally:
        os.close(descriptor)


def settle(log: RunLog, index: TimeIndex) -> None:
    """Brings an index and its log together again after a cut that was interrupted."""
    kept = index.kept
    if not kept.is_being_cut:
        return
    aside = log.older + ".new"
    if os.path.exists(aside) and not _is_cut(log, kept, aside):
        first = kept.base_before - _size(log.older)
        index.publish(Kept(kept.generation + 1, kept.base_before, first, kept.base_before))
        return
    if os.path.exists(aside):
        os.replace(aside, log.older)
    index.publish(kept._replace(generation=kept.generation + 1, base=kept.first + _size(log.older)))


def _is_cut(log: RunLog, kept: Kept, aside: str) -> bool:
    """Tells whether the file was cut already, which its size does not: it may have grown since."""
    with open(open_plain(aside), "rb") as copy, open(open_plain(log.path), "rb") as file:
        file.seek(kept.first - kept.base_before)
        head = copy.read(BLOCK_BYTES)
        return file.read(len(head)) != head


def _size(path: str) -> int:
    return os.stat(path).st_size if os.path.exists(path) else 0


def _give_back(descriptor: int, index: TimeIndex, keep_bytes: int, punch: Punch) -> None:
    before, end = index.kept, os.fstat(descriptor).st_size
    wanted = end - keep_bytes
    if wanted <= before.first:
        return
    first = _line_start(descriptor, wanted)
    index.publish(before._replace(first=first))
    start, stop = before.first // BLOCK_BYTES * BLOCK_BYTES, first // BLOCK_BYTES * BLOCK_BYTES
    punch(descriptor, start, stop - start)


def _copy_and_cut(descriptor: int, log: RunLog, index: TimeIndex, keep_bytes: int) -> None:
    kept, size = index.kept, os.fstat(descriptor).st_size
    start = _line_start(descriptor, size - keep_bytes) if size > keep_bytes else 0
    aside = log.older + ".new"
    with open(open_plain(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb", buffering=0) as copy:
        place = start
        while data := os.pread(descriptor, _COPY_BYTES, place):
            copy.write(data)
            place += len(data)
        # Readers wait from here on; then what came meanwhile is fetched, and nothing but the cut follows.
        base = kept.base + place
        index.publish(Kept(kept.generation + 1, base, kept.base + start, kept.base))
        while data := os.pread(descriptor, _COPY_BYTES, place):
            copy.write(data)
            place += len(data)
        os.ftruncate(descriptor, 0)
    os.replace(aside, log.older)
    index.publish(Kept(kept.generation + 2, kept.base + place, kept.base + start, kept.base))


def _line_start(descriptor: int, place: int) -> int:
    """Returns where the first line begins at or after a place, or the place itself when none begins near."""
    newline = os.pread(descriptor, _LINE_BYTES, place - 1).find(b"\n")
    return place + newline if newline >= 0 else place
