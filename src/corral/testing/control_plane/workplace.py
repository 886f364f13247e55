"""The private directory of one control plane: keys, data and logs, readable by nobody else.

The owner holds a lock on a file in it, and the kernel drops that lock when the owner dies. A directory whose lock
nobody holds is thus what a killed test run left behind, tens of megabytes each, and the next control plane in the same
place clears it away.
"""

import fcntl
import shutil
import tempfile
from pathlib import Path

_PREFIX = "corral-control-plane-"


class Workplace:
    """A directory that exists from construction until `remove`."""

    def __init__(self, parent: Path | None = None) -> None:
        parent = parent or Path(tempfile.gettempdir())
        _clear_abandoned(parent)
        # Locked under another name first: with its real name but not yet locked it would look abandoned.
        making = Path(tempfile.mkdtemp(prefix="making-", dir=parent))
        self._lock = (making / "lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.path = making.rename(parent / making.name.replace("making-", _PREFIX, 1))
        for part in (self.keys, self.logs):
            part.mkdir()

    @property
    def keys(self) -> Path:
        """Certificates, keys and tokens."""
        return self.path / "keys"

    @property
    def logs(self) -> Path:
        """One file per component."""
        return self.path / "logs"

    def remove(self) -> None:
        """Delete everything; called twice, it does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()

    def keep_logs(self) -> None:
        """Delete everything but the logs: without a lock file nobody takes the directory for abandoned."""
        for entry in self.path.iterdir():
            if entry.is_dir() and entry != self.logs:
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.is_file():
                entry.unlink()
        self._lock.close()


def _clear_abandoned(parent: Path) -> None:
    for lock_file in parent.glob(f"{_PREFIX}*/lock"):
        try:
            with lock_file.open("r") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock_file.parent, ignore_errors=True)
        except OSError:
            continue  # its owner lives, or it belongs to another user
