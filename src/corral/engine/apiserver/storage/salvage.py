"""Rebuilds the state from every row that is still good, and names what was lost.

The damaged files are kept under new names; the new file replaces the old one in the last step, whole. The revision goes
on above everything that was ever acknowledged and the history starts anew there, so every watch has to list again: none
can resume over a gap. A run that was interrupted is finished by the next.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import apsw

from corral.engine.apiserver.storage.carving import carve
from corral.engine.apiserver.storage.damage import ForeignStateError, explained
from corral.engine.apiserver.storage.inspection import inspect
from corral.engine.apiserver.storage.log import UNREADABLE, Row, WriteLog, is_row
from corral.engine.apiserver.storage.mark import Mark

LOCK_START, LOCK_BYTES = 0x40000000, 512
"""Where every SQLite holds its locks on a file, whatever the file's content."""
HEADROOM = 100_000
"""How far the revision jumps when the mark is lost as well, so that none is ever given twice."""


class Salvage(NamedTuple):
    """What a salvage did: `kept` are the damaged files under their new names, `losses` are sentences."""

    kept: tuple[Path, ...]
    objects: int
    revision: int
    losses: tuple[str, ...]
    doubts: tuple[str, ...]


def salvage(directory: Path) -> Salvage | None:
    """Rebuilds a damaged state file; returns None, having changed nothing, when there is nothing to mend."""
    path = directory / "state.db"
    rebuilt = path.with_name("state.db.rebuilt")
    found = inspect(directory)
    if found.code in ("good", "absent"):
        rebuilt.unlink(missing_ok=True)
        return None
    if not found.is_damaged:
        raise ForeignStateError(found.code, found.text, found.hint)
    with _locked(path) as content:
        if rebuilt.exists():
            told = _finished_before(rebuilt)
        else:
            outcome = _gathered(path, content)
            _build(rebuilt, outcome)
            told = Salvage((), len(outcome.live), outcome.revision, *_told(outcome))
        return told._replace(kept=_swap(path, rebuilt))


def _finished_before(rebuilt: Path) -> Salvage:
    log = WriteLog(rebuilt, forward=False)
    try:
        objects = sum(1 for _ in log.rows())
    finally:
        log.close()
    return Salvage((), objects, log.compacted, ("what an interrupted salvage could not find",), ())


class _Outcome(NamedTuple):
    live: list[Row]
    revision: int
    compacted: int
    missing: list[int]
    altered: dict[int, str]
    doubtful: list[Row]
    readable: bool


@contextmanager
def _locked(path: Path) -> Iterator[bytes]:
    """Holds the lock that a server would hold, on files that SQLite refuses as well, and yields the file's content.

    The file is read through the descriptor that holds the lock: closing any other one would drop it.
    """
    if not path.exists():
        yield b""
        return
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, LOCK_BYTES, LOCK_START)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EAGAIN):
                raise
            raise explained(str(path), apsw.BusyError()) from error
        yield file.read()


def _gathered(path: Path, content: bytes) -> _Outcome:
    wal = path.with_name("state.db-wal")
    images = [content, wal.read_bytes() if wal.exists() else b""]
    carved = carve(*images)
    rows, readable = _seen_by_sqlite(path, images)
    compacted = max((seal.compacted for seal in carved.seals), default=0)
    doubtful = []
    for rev, row in carved.rows.items():
        if rev > compacted:
            rows.setdefault(rev, row)
        elif rev not in rows and not readable:
            doubtful.append(row)  # perhaps superseded or deleted long ago, perhaps not
            rows[rev] = row
    newest: dict[str, Row] = {}
    for rev in sorted(rows):
        newest[rows[rev].key] = rows[rev]
    live = sorted(row for row in newest.values() if not row.gone)
    last = max(rows, default=0)
    acknowledged = _acknowledged(path.with_name("acknowledged"))
    top = max(last, compacted, last + HEADROOM if acknowledged is None else acknowledged)
    known_end = max(last, acknowledged or 0)
    missing = [rev for rev in range(compacted + 1, known_end + 1) if rev not in rows]
    altered = {rev: key for rev, key in carved.altered.items() if rev not in rows}
    return _Outcome(live, top, compacted, missing, altered, [r for r in doubtful if newest[r.key] is r], readable)


def _acknowledged(path: Path) -> int | None:
    mark = Mark(path)
    try:
        return mark.read()
    finally:
        mark.close()


def _seen_by_sqlite(path: Path, images: list[bytes]) -> tuple[dict[int, Row], bool]:
    """Returns the good rows that SQLite finds in a copy, and whether it could read all that it looked for."""
    copy = path.with_name("state.db.examined")
    wal = copy.with_name(copy.name + "-wal")
    copy.write_bytes(images[0])
    wal.write_bytes(images[1])
    rows: dict[int, Row] = {}
    try:
        db = apsw.Connection(str(copy))
        db.execute("PRAGMA locking_mode=EXCLUSIVE")
        readable = _read_all(db, rows)
        db.close(True)
    except UNREADABLE:
        readable = False
    finally:
        for leftover in (copy, wal, copy.with_name(copy.name + "-journal"), copy.with_name(copy.name + "-shm")):
            leftover.unlink(missing_ok=True)
    return rows, readable


def _read_all(db: apsw.Connection, rows: dict[int, Row]) -> bool:
    """Reads on behind every place that cannot be read, in growing steps."""
    readable, after, step = True, -1, 1
    while after < 1 << 62:
        try:
            question = "SELECT rev, key, gone, value, sum FROM log WHERE rev > ? ORDER BY rev"
            for rev, key, gone, value, sum_ in db.execute(question, (after,)):
                after, step = rev, 1
                if is_row(key, gone, value) and (row := Row(rev, key, bool(gone), value)).checksum() == sum_:
                    rows[rev] = row
                else:
                    readable = False
            break
        except UNREADABLE:
            readable = False
            after, step = after + step, step * 2
    return readable


def _build(rebuilt: Path, outcome: _Outcome) -> None:
    partial = rebuilt.with_name(rebuilt.name + ".partial")
    for leftover in (partial, partial.with_name(partial.name + "-wal")):
        leftover.unlink(missing_ok=True)
    log = WriteLog(partial)
    log.append(outcome.live)
    log.drop((), outcome.revision)
    log.commit()
    log.trust()
    log.close()
    os.replace(partial, rebuilt)
    _sync(rebuilt.parent)


def _swap(path: Path, rebuilt: Path) -> tuple[Path, ...]:
    """Puts the new file in place. The log goes first: SQLite would play it into the new file."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    wal = path.with_name("state.db-wal")
    kept = []
    if wal.exists():
        kept.append(wal.rename(path.with_name(f"state.db.damaged-{stamp}-wal")))
    if path.exists():
        copy = path.with_name(f"state.db.damaged-{stamp}")
        os.link(path, copy)
        kept.append(copy)
    _sync(path.parent)
    os.replace(rebuilt, path)
    _sync(path.parent)
    return tuple(kept)


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _told(outcome: _Outcome) -> tuple[tuple[str, ...], tuple[str, ...]]:
    losses = [f"revision {rev} of {_named(key)} was altered" for rev, key in sorted(outcome.altered.items())]
    unnamed = [rev for rev in outcome.missing if rev not in outcome.altered]
    for first, last in _runs(unnamed):
        which = f"revision {first} is" if first == last else f"revisions {first} to {last} are"
        losses.append(f"{which} missing")
    if not outcome.readable and outcome.compacted:
        losses.append(f"objects last written before revision {outcome.compacted} may be missing")
    doubts = [
        f"{_named(row.key)} of revision {row.rev} may have been changed or deleted since" for row in outcome.doubtful
    ]
    return tuple(losses), tuple(doubts)


def _named(key: str) -> str:
    """Returns an object as kubectl names it, `jobs.batch vision/train`, from its key in the log."""
    group, _, rest = key.partition("/")
    plural, _, place = rest.partition("/")
    return f"{plural}.{group} {place.lstrip('/')}" if group else f"{plural} {place.lstrip('/')}"


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        members = [number for _, number in run]
        yield members[0], members[-1]
