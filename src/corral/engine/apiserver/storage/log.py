"""The write log: one SQLite table, one row per write, and nothing else that lasts (`schema` has the tables).

Every row carries a checksum, and the seal counts them. One connection in one process owns the file (exclusive locking),
so the WAL-reset bug of old SQLite releases, which needs two, cannot strike. `append` runs on the event loop (memory
only), `commit` on the committer's thread (fsync); the caller keeps them apart.

A file that is refused is left exactly as it was found: closing does not merge the write-ahead log before everything was
read and found good, because what SQLite drops silently then, `salvage` may still want to read.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

from corral.engine.apiserver.storage.damage import (
    NO_ROOM,
    OWNER_HINT,
    DamagedStateError,
    DiskFullError,
    ForeignStateError,
    NoRoomError,
    explained,
    is_disk_full,
)
from corral.engine.apiserver.storage.schema import MIGRATIONS, bring_forward, is_as_made, known_version
from corral.engine.apiserver.storage.seal import Seal, seal_in
from corral.errors import CorralError

PAGE_BYTES = 4096
UNREADABLE = (apsw.Error, UnicodeDecodeError, MemoryError)
"""What reading a damaged file can end in."""


class Row(NamedTuple):
    """One write: the key is `group/plural/namespace/name`, the value the whole object as JSON."""

    rev: int
    key: str
    gone: bool
    value: bytes

    def checksum(self) -> int:
        """Returns the CRC-32 over everything in the row."""
        head = f"{self.rev} {self.key} {int(self.gone)} ".encode()
        return zlib.crc32(self.value, zlib.crc32(head))


class WriteLog:
    """The durable log of writes in one file. Not thread-safe: one call at a time.

    `used` says that something in the file was acknowledged once, so that an empty one is a loss and not a beginning;
    `forward` is false for a look that must not change an older file.
    """

    def __init__(
        self, path: Path, *, used: bool = False, forward: bool = True, migrations: Sequence[str] = MIGRATIONS
    ) -> None:
        self.path = path
        self._forward = forward
        _refuse_emptied(path, used)
        self._db = _opened(path)
        try:
            self._prepare(used, migrations)
            sealed = seal_in(list(self._db.execute("SELECT rows, digest, compacted, sum FROM seal")))
        except UNREADABLE as error:
            full = is_disk_full(self._db, error)
            self._db.close(True)
            raise (NoRoomError(str(path), str(error)) if full else explained(str(path), error)) from error
        except CorralError:
            self._db.close(True)
            raise
        if isinstance(sealed, str):
            raise self._damaged(sealed)
        self._seal = sealed

    @property
    def compacted(self) -> int:
        """Returns the revision up to which superseded rows were dropped."""
        return self._seal.compacted

    def _prepare(self, used: bool, migrations: Sequence[str]) -> None:
        db = self._db
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.execute(f"PRAGMA page_size={PAGE_BYTES}")
        db.execute("PRAGMA locking_mode=EXCLUSIVE")
        version = known_version(db, self.path, migrations, used=used)
        if version < len(migrations) and not self._forward:
            raise ForeignStateError(
                "state-older",
                f"{self.path} is of an older release (schema {version})",
                "the next start brings it forward",
            )
        db.execute("PRAGMA journal_mode=WAL").fetchall()
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA fullfsync=ON")  # where fsync alone does not reach the disk (macOS)
        db.execute("PRAGMA cache_size=-8192")
        bring_forward(db, self.path, migrations, version)
        # Pages that no row uses carry no checksum, and a bad one would spoil good pages with the next write.
        finding = str(db.execute("PRAGMA quick_check(1)").get)
        if finding != "ok":
            raise self._damaged(finding)
        if not is_as_made(db, migrations):
            raise self._damaged("its tables were altered")

    def rows(self) -> Iterator[Row]:
        """Yields every row in order of revision; raises DamagedStateError at the first sign that the file lies."""
        seen = Seal(compacted=self._seal.compacted)
        try:
            for rev, key, gone, value, stored in self._db.execute(
                "SELECT rev, key, gone, value, sum FROM log ORDER BY rev"
            ):
                if not is_row(key, gone, value) or (row := Row(rev, key, bool(gone), value)).checksum() != stored:
                    raise self._damaged(f"row {rev} ({key!r}) does not match its checksum")
                seen = seen.with_row(stored)
                yield row
        except UNREADABLE as error:
            raise explained(str(self.path), error) from error
        if seen != self._seal:
            raise self._damaged(f"it holds {seen.rows} rows where its seal counts {self._seal.rows}, or other ones")

    def trust(self) -> None:
        """Says that everything read was good: from here on, closing merges the write-ahead log."""
        self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)

    def append(self, rows: Iterable[Row]) -> None:
        """Opens a transaction if none is open and adds rows to it; nothing is durable before `commit`."""
        sums = [(row, row.checksum()) for row in rows]
        with _FullDiskNamed(self._db):
            self._begin()
            self._db.executemany(
                "INSERT INTO log VALUES (?, ?, ?, ?, ?)",
                ((row.rev, row.key, int(row.gone), row.value, sum_) for row, sum_ in sums),
            )
            for _, sum_ in sums:
                self._seal = self._seal.with_row(sum_)
            self._write_seal()

    def drop(self, revs: Sequence[int], compacted: int) -> None:
        """Adds to the open transaction the removal of superseded rows up to the revision `compacted`."""
        with _FullDiskNamed(self._db):
            self._begin()
            for rev in revs:
                for (sum_,) in self._db.execute("DELETE FROM log WHERE rev = ? RETURNING sum", (rev,)):
                    self._seal = self._seal.without_row(sum_)
            self._seal = self._seal._replace(compacted=compacted)
            self._write_seal()

    def commit(self) -> None:
        """Makes the open transaction durable (fsync). On failure nothing of it is kept."""
        with _FullDiskNamed(self._db):
            self._db.execute("COMMIT")

    def abandon(self) -> None:
        """Forgets the open transaction, if any, and reads the seal again."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")
        self._seal = Seal(*self._db.execute("SELECT rows, digest, compacted FROM seal").get)

    def make_room(self) -> bool:
        """Merges the write-ahead log into the file, which may give its room back; says whether it did."""
        before = self.size()
        try:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except apsw.Error as error:
            if not is_disk_full(self._db, error):
                raise
        return self.size() < before

    def size(self) -> int:
        """Returns the bytes that the state takes on disk, write-ahead log included."""
        return sum(p.stat().st_size for p in (self.path, _wal_of(self.path)) if p.exists())

    def close(self) -> None:
        """Closes the file, with its write-ahead log merged if it was found good."""
        self._db.close()

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")

    def _write_seal(self) -> None:
        seal = self._seal
        self._db.execute("UPDATE seal SET rows=?, digest=?, compacted=?, sum=?", (*seal, seal.checksum()))

    def _damaged(self, finding: str) -> DamagedStateError:
        self._db.close(True)
        return DamagedStateError(str(self.path), finding)


class _FullDiskNamed:
    """Turns what SQLite says of a full disk into our own word; every other error goes through unchanged."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and is_disk_full(self._db, error):
            raise DiskFullError(str(error)) from error


def is_row(key: object, gone: object, value: object) -> bool:
    """Says whether the columns of a row have their types; damage can give them any."""
    return isinstance(key, str) and isinstance(gone, int) and isinstance(value, bytes)


def _wal_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _refuse_emptied(path: Path, used: bool) -> None:
    """Refuses a file that vanished or was emptied; SQLite would start anew and delete the write-ahead log."""
    size = path.stat().st_size if path.exists() else 0
    if size >= PAGE_BYTES:
        return
    wal = _wal_of(path)
    if used or (wal.exists() and wal.stat().st_size):
        raise DamagedStateError(str(path), f"it was cut to {size} bytes" if path.exists() else "it is missing")


def _opened(path: Path) -> apsw.Connection:
    try:
        path.touch(mode=0o600)  # it holds secrets
        connection = apsw.Connection(str(path), statementcachesize=32)
        connection.set_busy_timeout(0)
        return connection
    except OSError as error:
        if error.errno in NO_ROOM:
            raise NoRoomError(str(path), str(error.strerror)) from error
        raise ForeignStateError("state-unreadable", f"{path} cannot be opened: {error.strerror}", OWNER_HINT) from error
    except apsw.Error as error:
        raise explained(str(path), error) from error
