"""What can be wrong with the state file, as errors that name the file, the place and the way out."""

import errno

import apsw

from corral.errors import PermanentError, RetryError

NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""What a system says when it will not store more: the disk, the quota or the limit on one file is full."""

OWNER_HINT = "check its owner and mode"


class DamagedStateError(PermanentError):
    """The state file cannot be trusted: cut, altered, or older than what was acknowledged. It is never served."""

    def __init__(self, path: str, finding: str) -> None:
        super().__init__(
            "state-damaged",
            f"the state file {path} is damaged: {finding}",
            hint="`corral doctor --salvage` keeps the file and rebuilds the state from every row that is still good",
        )
        self.path = path
        self.finding = finding


class ForeignStateError(PermanentError):
    """The file is healthy but not ours to open: another program's, a newer release's, or in use."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(code, message, hint=hint)


class NoRoomError(RetryError):
    """There is no room to make or to move the state file; what exists is untouched."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(
            "disk-full", f"there is no room for the state file {path}: {problem}", hint="make room, then start again"
        )


class DiskFullError(Exception):
    """The disk cannot take the write; nothing of the batch was stored, and a later write may succeed."""


def is_disk_full(db: apsw.Connection, error: BaseException) -> bool:
    """Says whether a write failed for want of room; quotas and file size limits come as plain I/O errors."""
    if isinstance(error, apsw.FullError):
        return True
    if not isinstance(error, apsw.IOError):
        return False
    # Only for writes: after a failed fsync nobody knows what is stored.
    return getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_WRITE and db.system_errno in NO_ROOM


def explained(path: str, error: Exception) -> Exception:
    """Returns what an error of SQLite means for the state file."""
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return ForeignStateError(
            "state-in-use", f"{path} is in use by another process", "`corral status` shows it; `corral down` stops it"
        )
    if isinstance(error, apsw.CantOpenError | apsw.PermissionsError | apsw.ReadOnlyError):
        return ForeignStateError("state-unreadable", f"{path} cannot be opened: {error}", OWNER_HINT)
    if isinstance(error, UnicodeDecodeError):
        return DamagedStateError(path, "it holds text that is not UTF-8")
    return DamagedStateError(path, str(error) or type(error).__name__)
