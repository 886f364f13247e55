"""Examines a state directory without changing it: what `corral doctor` says about the state."""

from pathlib import Path
from typing import NamedTuple

from corral.engine.apiserver.storage.damage import DamagedStateError
from corral.engine.apiserver.storage.log import WriteLog
from corral.engine.apiserver.storage.mark import Mark
from corral.errors import CorralError


class Inspection(NamedTuple):
    """The outcome: `code` is good, absent, or the code of the error that a start would end in."""

    code: str
    text: str
    hint: str = ""

    @property
    def is_damaged(self) -> bool:
        """Says whether only a salvage can help."""
        return self.code == "state-damaged"


def inspect(directory: Path) -> Inspection:
    """Reads everything as a start would, and says what it would say; a file in use was read by its server."""
    path = directory / "state.db"
    if not directory.is_dir():
        return Inspection("absent", f"{directory} is made by the first start")
    mark_path = directory / "acknowledged"
    acknowledged = _mark(mark_path)
    used = mark_path.exists() and mark_path.stat().st_size > 0
    if not used and not path.exists():
        return Inspection("absent", f"{path} is made by the first start")
    try:
        return _examined(path, used, acknowledged)
    except CorralError as error:
        return Inspection(error.code, error.message, error.hint)


def _mark(path: Path) -> int | None:
    if not path.exists():
        return None
    mark = Mark(path)
    try:
        return mark.read()
    finally:
        mark.close()


def _examined(path: Path, used: bool, acknowledged: int | None) -> Inspection:
    log = WriteLog(path, used=used, forward=False)
    try:
        last, rows = log.compacted, 0
        for row in log.rows():
            last, rows = max(row.rev, last), rows + 1
        size = log.size()
    finally:
        log.close()
    if acknowledged is not None and acknowledged > last:
        raise DamagedStateError(str(path), f"it ends at revision {last}, but revision {acknowledged} was acknowledged")
    return Inspection("good", f"{rows} rows, {size >> 10} KiB, revision {last}; every checksum is good")
