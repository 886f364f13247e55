"""Reads rows out of the raw pages of a damaged state file, where SQLite itself gives up.

SQLite drops a write-ahead log from its first bad frame on and cannot enter a tree whose root is gone. The rows carry
checksums of their own, so every page that looks like a leaf may be read for itself: what matches its checksum is good,
whatever stands around it. The format is that of https://www.sqlite.org/fileformat2.html.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from corral.engine.apiserver.storage.log import PAGE_BYTES, Row, is_row
from corral.engine.apiserver.storage.seal import Seal, seal_in

LEAF = 0x0D
WAL_HEAD_BYTES = 32
FRAME_HEAD_BYTES = 24
MOST_PAYLOAD = 8 << 20
"""No row is larger; a length beyond it is damage."""

_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_USABLE = PAGE_BYTES
_MOST_LOCAL = _USABLE - 35
_LEAST_LOCAL = (_USABLE - 12) * 32 // 255 - 23

Pages = dict[int, bytes]


class Carved(NamedTuple):
    """What the pages hold: good rows by revision, the keys of altered ones, and every good seal."""

    rows: dict[int, Row]
    altered: dict[int, str]
    seals: list[Seal]


def carve(database: bytes, wal: bytes) -> Carved:
    """Returns everything good in the pages of a file and its write-ahead log; the newest image of a row wins."""
    found = Carved({}, {}, [])
    pages = {n + 1: database[n * PAGE_BYTES : (n + 1) * PAGE_BYTES] for n in range(len(database) // PAGE_BYTES)}
    _read_leaves(pages, pages, found)
    for frames in _generations(wal):
        _read_frames(dict(pages), frames, found)
    for rev in found.rows.keys() & found.altered.keys():
        del found.altered[rev]
    return found


class _Frame(NamedTuple):
    number: int
    ends_commit: bool
    image: bytes


def _generations(wal: bytes) -> list[list[_Frame]]:
    """Returns the frames of a write-ahead log by the generation that wrote them, the current one last."""
    current = wal[16:24]
    grouped: dict[bytes, list[_Frame]] = {}
    for start in range(WAL_HEAD_BYTES, len(wal) - PAGE_BYTES - FRAME_HEAD_BYTES + 1, PAGE_BYTES + FRAME_HEAD_BYTES):
        head = wal[start : start + FRAME_HEAD_BYTES]
        image = wal[start + FRAME_HEAD_BYTES : start + FRAME_HEAD_BYTES + PAGE_BYTES]
        frame = _Frame(int.from_bytes(head[:4], "big"), head[4:8] != bytes(4), image)
        grouped.setdefault(head[8:16], []).append(frame)
    return [frames for salt, frames in sorted(grouped.items(), key=lambda item: item[0] == current)]


def _read_frames(pages: Pages, frames: list[_Frame], found: Carved) -> None:
    """Reads leaves commit by commit, because a long row may go on in pages that follow in the same commit."""
    changed: Pages = {}
    for frame in frames:
        changed[frame.number] = frame.image
        if frame.ends_commit:
            pages.update(changed)
            _read_leaves(changed, pages, found)
            changed = {}
    _read_leaves(changed, {**pages, **changed}, found)


def _read_leaves(leaves: Pages, pages: Pages, found: Carved) -> None:
    for number, image in leaves.items():
        for rev, columns in _records(number, image, pages):
            if len(columns) == 5 and is_row(*columns[1:4]):
                row = Row(rev, columns[1], bool(columns[2]), columns[3])
                if row.checksum() == columns[4]:
                    found.rows[rev] = row
                else:
                    found.altered[rev] = row.key
            elif len(columns) == 4 and isinstance(seal := seal_in([tuple(columns)]), Seal):
                found.seals.append(seal)


def _records(number: int, image: bytes, pages: Pages) -> Iterator[tuple[int, list[Any]]]:
    head = 100 if number == 1 else 0
    if len(image) != PAGE_BYTES or image[head] != LEAF:
        return
    count = int.from_bytes(image[head + 3 : head + 5], "big")
    for place in range(head + 8, min(head + 8 + 2 * count, PAGE_BYTES - 1), 2):
        try:
            yield _record(image, int.from_bytes(image[place : place + 2], "big"), pages)
        except (IndexError, KeyError, ValueError):
            continue  # this cell is damaged; the next one may be good


def _record(image: bytes, place: int, pages: Pages) -> tuple[int, list[Any]]:
    size, place = _varint(image, place)
    rowid, place = _varint(image, place)
    if size > MOST_PAYLOAD:
        raise ValueError(size)
    local = size
    if size > _MOST_LOCAL:
        local = _LEAST_LOCAL + (size - _LEAST_LOCAL) % (_USABLE - 4)
        local = local if local <= _MOST_LOCAL else _LEAST_LOCAL
    payload = bytearray(image[place : place + local])
    following = int.from_bytes(image[place + local : place + local + 4], "big") if local < size else 0
    while len(payload) < size:
        page = pages[following]
        payload += page[4 : 4 + size - len(payload)]
        following = int.from_bytes(page[:4], "big")
    return rowid, _columns(bytes(payload))


def _columns(payload: bytes) -> list[Any]:
    end, place = _varint(payload, 0)
    at, columns = end, []
    while place < end:
        kind, place = _varint(payload, place)
        value, at = _column(payload, at, kind)
        columns.append(value)
    return columns


def _column(payload: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind == 0:
        return None, at
    if kind in (8, 9):
        return kind - 8, at
    size = _INTEGER_BYTES.get(kind) or (kind - 12) // 2
    if size < 0 or at + size > len(payload):
        raise ValueError(kind)
    raw = payload[at : at + size]
    if kind < 12:
        return int.from_bytes(raw, "big", signed=True), at + size
    return (raw.decode() if kind % 2 else raw), at + size


def _varint(raw: bytes, place: int) -> tuple[int, int]:
    value = 0
    for step in range(8):
        byte = raw[place + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + step + 1
    return value << 8 | raw[place + 8], place + 9
