"""Files of older schemas are brought forward after a copy was kept; files of newer ones are refused untouched."""

from pathlib import Path

import apsw
import pytest

from corral.engine.apiserver.storage.damage import DamagedStateError, ForeignStateError
from corral.engine.apiserver.storage.log import Row, WriteLog
from corral.engine.apiserver.storage.schema import MIGRATIONS
from tests.durability.state_files import files_in

NEXT = (*MIGRATIONS, "CREATE TABLE notes (text TEXT NOT NULL) STRICT; INSERT INTO notes VALUES ('new');")
BROKEN = (*MIGRATIONS, "CREATE TABLE notes (text TEXT NOT NULL) STRICT; INSERT INTO nowhere VALUES (1);")
ROWS = [Row(n, f"/configmaps/default/m{n}", False, b'{"n":%d}' % n) for n in range(1, 6)]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A file of the present schema with a few rows, closed as a crash closes it."""
    path = tmp_path / "state.db"
    log = WriteLog(path)
    log.append(ROWS)
    log.commit()
    log.close()
    assert "state.db-wal" in files_in(tmp_path)
    return path


def test_an_older_file_is_brought_forward_and_its_copy_kept(state: Path) -> None:
    """Invariant S7."""
    log = WriteLog(state, used=True, migrations=NEXT)
    assert list(log.rows()) == ROWS
    log.close()
    copy = state.with_name("state.db.schema-1")
    older = WriteLog(copy)
    assert list(older.rows()) == ROWS, "the copy is whole and of the old schema"
    older.close()
    again = WriteLog(state, used=True, migrations=NEXT)
    assert list(again.rows()) == ROWS
    again.close()


def test_a_migration_that_fails_changes_nothing(state: Path) -> None:
    with pytest.raises(DamagedStateError):
        WriteLog(state, used=True, migrations=BROKEN)
    log = WriteLog(state, used=True)
    assert list(log.rows()) == ROWS
    log.close()


def test_a_newer_file_is_refused_untouched(state: Path) -> None:
    log = WriteLog(state, used=True, migrations=NEXT)
    log.close()
    before = files_in(state.parent)
    with pytest.raises(ForeignStateError, match="newer release \\(schema 2, this one knows 1\\)") as refusal:
        WriteLog(state, used=True)
    assert refusal.value.code == "state-newer"
    assert files_in(state.parent) == before


def test_a_look_does_not_bring_an_older_file_forward(state: Path) -> None:
    with pytest.raises(ForeignStateError) as refusal:
        WriteLog(state, used=True, forward=False, migrations=NEXT)
    assert refusal.value.code == "state-older"
    look = apsw.Connection(str(state))
    assert look.pragma("user_version") == 1
    look.close()
