"""The write log: one SQLite table, one row per write, and nothing else that lasts.

    log(rev, key, gone, value, sum)    rev is the resourceVersion; the newest row of a key is the object,
                                       or, with gone = 1, the last state of a deleted one
    seal(rows, digest, compacted)      how many rows there are, the exclusive-or of their sums, and the
                                       revision up to which superseded rows were dropped

Every row carries a checksum; the seal, written in the same transaction, makes a row that vanished or came back as
visible as one that was altered. One connection in one process owns the file (exclusive locking), so the WAL-reset bug
of old SQLite releases, which needs two, cannot strike. `append` runs on the event loop (memory only), `commit` on the
committer's thread (fsync); the caller keeps them apart.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

from corral.engine.apiserver.storage.damage import DamagedStateError, DiskFullError, ForeignStateError

APPLICATION_ID = 0x636F7272  # "corr"

MIGRATIONS: Sequence[str] = (
    """
    CREATE TABLE log (rev INTEGER PRIMARY KEY, key TEXT NOT NULL, gone INTEGER NOT NULL, value BLOB NOT NULL,
                      sum INTEGER NOT NULL) STRICT;
    CREATE TABLE seal (rows INTEGER NOT NULL, digest INTEGER NOT NULL, compacted INTEGER NOT NULL) STRICT;
    INSERT INTO seal VALUES (0, 0, 0);
    """,
)
"""Statement lists that lead from schema version N to N + 1; a released one is never edited."""


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
    """The durable log of writes in one file. Not thread-safe: one call at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = _opened(path)
        try:
            self._prepare()
            seal = list(self._db.execute("SELECT rows, digest, compacted FROM seal"))
        except apsw.FullError as error:
            raise DiskFullError(str(error)) from error
        except apsw.Error as error:
            raise _explained(path, error) from error
        if len(seal) != 1:
            raise DamagedStateError(str(path), "its seal is missing")
        self._rows, self._digest, self.compacted = seal[0]

    def _prepare(self) -> None:
        db = self._db
        db.execute("PRAGMA locking_mode=EXCLUSIVE")
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA cache_size=-8192")
        version = db.execute("PRAGMA user_version").get
        identity = db.execute("PRAGMA application_id").get
        if identity not in (0, APPLICATION_ID) or (version and not identity):
            raise ForeignStateError(
                "state-foreign", f"{self.path} is a database of another program", "choose another CORRAL_HOME"
            )
        if version > len(MIGRATIONS):
            raise ForeignStateError(
                "state-newer",
                f"{self.path} was written by a newer release (schema {version}, this one knows {len(MIGRATIONS)})",
                "upgrade corral, or choose another CORRAL_HOME",
            )
        if version < len(MIGRATIONS):
            self._migrate(version)

    def _migrate(self, version: int) -> None:
        with self._db:
            for step in MIGRATIONS[version:]:
                self._db.execute(step)
            self._db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version={len(MIGRATIONS)}")

    def rows(self) -> Iterator[Row]:
        """Yields every row in order of revision; raises DamagedStateError at the first sign that the file lies."""
        count = digest = 0
        try:
            for rev, key, gone, value, stored in self._db.execute(
                "SELECT rev, key, gone, value, sum FROM log ORDER BY rev"
            ):
                row = Row(rev, key, bool(gone), value)
                if row.checksum() != stored:
                    raise DamagedStateError(str(self.path), f"row {rev} ({key}) does not match its checksum")
                count += 1
                digest ^= stored
                yield row
        except apsw.Error as error:
            raise _explained(self.path, error) from error
        if (count, digest) != (self._rows, self._digest):
            raise DamagedStateError(
                str(self.path), f"it holds {count} rows where its seal counts {self._rows}, or other ones"
            )

    def append(self, rows: Iterable[Row]) -> None:
        """Opens a transaction if none is open and adds rows to it; nothing is durable before `commit`."""
        sums = [(row, row.checksum()) for row in rows]
        with _full_disk_named():
            self._begin()
            self._db.executemany(
                "INSERT INTO log VALUES (?, ?, ?, ?, ?)",
                ((row.rev, row.key, int(row.gone), row.value, sum_) for row, sum_ in sums),
            )
            for _, sum_ in sums:
                self._digest ^= sum_
            self._rows += len(sums)
            self._seal()

    def drop(self, revs: Sequence[int], compacted: int) -> None:
        """Adds to the open transaction the removal of superseded rows up to the revision `compacted`."""
        with _full_disk_named():
            self._begin()
            for rev in revs:
                for (sum_,) in self._db.execute("DELETE FROM log WHERE rev = ? RETURNING sum", (rev,)):
                    self._digest ^= sum_
                    self._rows -= 1
            self.compacted = compacted
            self._seal()

    def commit(self) -> None:
        """Makes the open transaction durable (fsync). On failure nothing of it is kept."""
        with _full_disk_named():
            self._db.execute("COMMIT")

    def abandon(self) -> None:
        """Forgets the open transaction, if any, and reads the seal again."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")
        self._rows, self._digest, self.compacted = self._db.execute("SELECT rows, digest, compacted FROM seal").get

    def size(self) -> int:
        """Returns the bytes that the state takes on disk, write-ahead log included."""
        wal = self.path.with_name(self.path.name + "-wal")
        return sum(p.stat().st_size for p in (self.path, wal) if p.exists())

    def close(self) -> None:
        """Checkpoints and closes the file."""
        self._db.close()

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")

    def _seal(self) -> None:
        self._db.execute("UPDATE seal SET rows=?, digest=?, compacted=?", (self._rows, self._digest, self.compacted))


class _full_disk_named:  # noqa: N801 - reads as a phrase: with _full_disk_named()
    """Turns SQLite's own word for a full disk into ours; every other error goes through unchanged."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, apsw.FullError):
            raise DiskFullError(str(error)) from error


def _opened(path: Path) -> apsw.Connection:
    try:
        connection = apsw.Connection(str(path), statementcachesize=32)
        connection.set_busy_timeout(0)
        return connection
    except apsw.Error as error:
        raise _explained(path, error) from error


def _explained(path: Path, error: apsw.Error) -> Exception:
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return ForeignStateError(
            "state-in-use", f"{path} is in use by another process", "`corral status` shows it; `corral down` stops it"
        )
    if isinstance(error, apsw.CantOpenError | apsw.PermissionsError | apsw.ReadOnlyError):
        return ForeignStateError("state-unreadable", f"{path} cannot be opened: {error}", "check its owner and mode")
    return DamagedStateError(str(path), str(error))
