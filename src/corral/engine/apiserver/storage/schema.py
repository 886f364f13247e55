"""The tables of the state file, how older files are brought forward, and how a file is known to be ours.

log(rev, key, gone, value, sum)        rev is the resourceVersion; the newest row of a key is the object,
                                       or, with gone = 1, the last state of a deleted one
seal(rows, digest, compacted, sum)     see `seal`
"""

import os
from collections.abc import Sequence
from pathlib import Path

import apsw

from corral.engine.apiserver.storage.damage import DamagedStateError, ForeignStateError

APPLICATION_ID = 0x636F7272  # "corr"

MIGRATIONS: Sequence[str] = (
    """
    CREATE TABLE log (rev INTEGER PRIMARY KEY, key TEXT NOT NULL, gone INTEGER NOT NULL, value BLOB NOT NULL,
                      sum INTEGER NOT NULL) STRICT;
    CREATE TABLE seal (rows INTEGER NOT NULL, digest INTEGER NOT NULL, compacted INTEGER NOT NULL,
                       sum INTEGER NOT NULL) STRICT;
    INSERT INTO seal VALUES (0, 0, 0, 1342640443);
    """,
)
"""Statement lists that lead from schema version N to N + 1; a released one is never edited."""


def known_version(db: apsw.Connection, path: Path, migrations: Sequence[str], *, used: bool) -> int:
    """Returns the schema version of a file, 0 for a new one; refuses files that are not ours or from the future.

    `used` says that something in this file was acknowledged once: a header that denies it is damage, not a stranger's.
    """
    version, identity = db.pragma("user_version"), db.pragma("application_id")
    if identity not in (0, APPLICATION_ID) or (identity == 0) != (version == 0) or (used and not identity):
        if used or identity == APPLICATION_ID:
            raise DamagedStateError(str(path), "its header was altered")
        raise ForeignStateError(
            "state-foreign", f"{path} is a database of another program", "choose another CORRAL_HOME"
        )
    if version > len(migrations):
        raise ForeignStateError(
            "state-newer",
            f"{path} was written by a newer release (schema {version}, this one knows {len(migrations)})",
            "upgrade corral, or choose another CORRAL_HOME",
        )
    return int(version)


def bring_forward(db: apsw.Connection, path: Path, migrations: Sequence[str], version: int) -> None:
    """Makes a new file ours and an older one current, in one transaction and after a copy was kept."""
    if version < len(migrations):
        if version:
            _keep_copy(db, path, version)
        _migrate(db, version, migrations)


def is_as_made(db: apsw.Connection, migrations: Sequence[str]) -> bool:
    """Says whether the tables are exactly those that the migrations make."""
    fresh = apsw.Connection(":memory:")
    try:
        _migrate(fresh, 0, migrations)
        question = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
        return list(db.execute(question)) == list(fresh.execute(question))
    finally:
        fresh.close()


def _migrate(db: apsw.Connection, version: int, migrations: Sequence[str]) -> None:
    with db:
        for step in migrations[version:]:
            db.execute(step)
        db.execute(f"PRAGMA application_id={APPLICATION_ID}")
        db.execute(f"PRAGMA user_version={len(migrations)}")


def _keep_copy(db: apsw.Connection, path: Path, version: int) -> None:
    """Keeps the file as it was beside it, whole and on the disk.

    SQLite copies: were we to open and close the file ourselves, POSIX would drop the lock that SQLite holds on it.
    """
    copy = path.with_name(f"{path.name}.schema-{version}")
    partial = copy.with_name(copy.name + ".partial")
    partial.unlink(missing_ok=True)
    target = apsw.Connection(str(partial))
    try:
        with target.backup("main", db, "main") as copying:
            copying.step()
    finally:
        target.close()
    os.replace(partial, copy)
