"""SQLite before 3.51.3 can damage a WAL file when two connections write and checkpoint at the same time.

The fault came with WAL in 3.7.0 and is repaired in 3.51.3, and on the older lines in 3.44.6 and 3.50.7. Corral uses one
connection that writes and brings its own SQLite with apsw, so an old one is a warning, not a failure.
"""

from corral.engine.doctor.finding import Finding

REPAIRED = (3, 51, 3)
REPAIRED_LINES = {(3, 44): 6, (3, 50): 7}


def has_wal_reset_bug(version: tuple[int, int, int]) -> bool:
    """Tells whether this SQLite has the fault."""
    if version < (3, 7, 0) or version >= REPAIRED:
        return False
    line = REPAIRED_LINES.get(version[:2])
    return line is None or version[2] < line


def check_sqlite(version_text: str, source: str) -> Finding:
    """Examines the SQLite that the state file is written with."""
    parts = [int(part) for part in version_text.split(".")[:3]]
    version = (parts[0], parts[1], parts[2] if len(parts) > 2 else 0)
    if has_wal_reset_bug(version):
        return Finding(
            "warn",
            "sqlite",
            f"{version_text} ({source}) has the WAL-reset fault of releases before 3.51.3",
            "pip install --upgrade apsw; and never open the state file with other tools while Corral runs",
        )
    return Finding("ok", "sqlite", f"{version_text} ({source})")
