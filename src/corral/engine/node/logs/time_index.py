"""The index beside a log: what of it is kept, and when which part of it was written.

A head of fixed size says where the kept part begins and how positions become places in the file; marks follow, each a
time and the position up to which everything was written by then. Positions count the bytes of a run from its first one on
and never change, whatever is cut off. There is one writer; readers look by path at any moment, and a checksum tells them a
head that is just being written.
"""

import os
import struct
import time
from array import array
from bisect import bisect_left, bisect_right
from typing import NamedTuple
from zlib import crc32

from corral.engine.node.logs.run_log import RunLog
from corral.engine.small_files import open_plain

MOST_MARKS = 4096
"""More are thinned out; at one a second that is an hour in full and the time before in larger steps."""
_HEAD = struct.Struct("<8sQQQQI20x")
_FIELDS = struct.Struct("<QQQQ")
_MARK = struct.Struct("<QQ")
_MAGIC = b"corral\x00\x01"
_TRIES = 50
_TRY_SECONDS = 0.001


class Kept(NamedTuple):
    """What of a log is there, in positions: from `first` on; the file itself begins at `base`, what was cut before it."""

    generation: int = 0
    """Odd while the file is being cut: then it and the file do not match."""
    base: int = 0
    first: int = 0
    base_before: int = 0
    """The base before the present or latest cut, so that an interrupted one can be settled."""

    @property
    def is_being_cut(self) -> bool:
        """Whether the file and what is said here do not match now."""
        return self.generation % 2 == 1


class Marks:
    """When which part was written: everything before `positions[i]` by `times[i]`, in nanoseconds since the epoch."""

    __slots__ = ("positions", "times")

    def __init__(self, times: "array[int] | None" = None, positions: "array[int] | None" = None) -> None:
        self.times = array("Q") if times is None else times
        self.positions = array("Q") if positions is None else positions

    def __len__(self) -> int:
        return len(self.times)

    @property
    def end(self) -> int:
        """Returns the position up to which times are known."""
        return self.positions[-1] if self.positions else 0

    def time_of(self, position: int, otherwise: int) -> tuple[int, int]:
        """Returns when the byte at a position was there, and the position up to which the same time holds."""
        found = bisect_right(self.positions, position)
        if found == len(self.positions):
            return max(otherwise, self.times[-1] if self.times else 0), 1 << 63
        return self.times[found], self.positions[found]

    def position_since(self, moment: int, last_written: int, end: int) -> int:
        """Returns where the part begins that was written at a moment or later; `end` when there is none."""
        found = bisect_left(self.times, moment)
        if found == len(self.times) and last_written < moment:
            return end
        return self.positions[found - 1] if found else 0

    def add(self, moment: int, position: int) -> None:
        """Adds a mark; times never go back, even when the clock does."""
        self.times.append(max(moment, self.times[-1]) if self.times else moment)
        self.positions.append(position)

    def thinned(self, first: int) -> "Marks":
        """Returns the newer half, and every second mark of the older one that still tells about what is kept."""
        useful = max(bisect_right(self.positions, first) - 1, 0)
        middle = max(useful, len(self) - MOST_MARKS // 2)
        chosen = [*range(useful, middle, 2), *range(middle, len(self))]
        times = array("Q", [self.times[i] for i in chosen])
        return Marks(times, array("Q", [self.positions[i] for i in chosen]))


def read_kept(log: RunLog) -> Kept:
    """Returns what of a log is there; everything, when there is no index."""
    for _ in range(_TRIES):
        found = _head_in(_bytes_of(log.times, _HEAD.size))
        if found is not None and not found.is_being_cut:
            return found
        time.sleep(_TRY_SECONDS)  # its writer needs microseconds, unless it was killed in the midst of it
    return found or Kept()


def read_marks(log: RunLog) -> Marks:
    """Returns the times of a log; none, when there is no index."""
    raw = _bytes_of(log.times, _HEAD.size + 2 * MOST_MARKS * _MARK.size)[_HEAD.size :]
    marks = Marks()
    for moment, position in _MARK.iter_unpack(raw[: len(raw) // _MARK.size * _MARK.size]):
        if position < marks.end:
            break  # written anew while it was read; what was read so far holds
        marks.add(moment, position)
    return marks


class TimeIndex:
    """The writer of one index; what an earlier writer left is gone on with."""

    def __init__(self, log: RunLog) -> None:
        self._log = log
        self.kept = read_kept(log)
        self.marks = read_marks(log)
        if not os.path.exists(log.times):
            self._write_anew()

    def note(self, moment: int, position: int) -> None:
        """Notes that everything before a position was written by now."""
        self.marks.add(moment, position)
        if len(self.marks) > MOST_MARKS:
            self.marks = self.marks.thinned(self.kept.first)
            self._write_anew()
            return
        self._put(_HEAD.size + (len(self.marks) - 1) * _MARK.size, _MARK.pack(self.marks.times[-1], position))

    def publish(self, kept: Kept) -> None:
        """Tells readers what is kept from now on; to be called before anything is taken away."""
        self.kept = kept
        self._put(0, _packed(kept))

    def forget(self, kept: Kept) -> None:
        """Drops all marks, since somebody else has cut the file."""
        self.kept, self.marks = kept, Marks()
        self._write_anew()

    def _put(self, place: int, data: bytes) -> None:
        descriptor = open_plain(self._log.times, os.O_WRONLY | os.O_CREAT)
        try:
            os.pwrite(descriptor, data, place)
        finally:
            os.close(descriptor)

    def _write_anew(self) -> None:
        marks = b"".join(map(_MARK.pack, self.marks.times, self.marks.positions))
        new = self._log.times + ".new"
        descriptor = open_plain(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_packed(self.kept) + marks)
            os.replace(new, self._log.times)
        except OSError:
            # On a full disk even a draft is too much.
            os.unlink(new)
            raise


def _packed(kept: Kept) -> bytes:
    return _HEAD.pack(_MAGIC, *kept, crc32(_FIELDS.pack(*kept)))


def _head_in(raw: bytes) -> Kept | None:
    """Returns the head, everything when there is none, None when it is not whole."""
    if not raw:
        return Kept()
    if len(raw) < _HEAD.size:
        return None
    magic, *fields, check = _HEAD.unpack_from(raw)
    return Kept(*fields) if magic == _MAGIC and check == crc32(_FIELDS.pack(*fields)) else None


def _bytes_of(path: str, most: int) -> bytes:
    try:
        descriptor = open_plain(path)
    except FileNotFoundError:
        return b""
    try:
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)
