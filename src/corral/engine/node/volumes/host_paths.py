"""Paths of this machine that a pod names: whether they are what the pod says, and making those that may be made."""

import errno
import os
import stat
from collections.abc import Callable

from corral.engine.node.volumes.faults import VolumeFaultError, system_word
from corral.engine.node.volumes.plan import EXISTING

_CHECKS: dict[str, tuple[str, Callable[[int], bool]]] = {
    "Directory": ("directory", stat.S_ISDIR),
    "DirectoryOrCreate": ("directory", stat.S_ISDIR),
    "File": ("file", stat.S_ISREG),
    "FileOrCreate": ("file", stat.S_ISREG),
    "Socket": ("socket", stat.S_ISSOCK),
    "CharDevice": ("character device", stat.S_ISCHR),
    "BlockDevice": ("block device", stat.S_ISBLK),
}
_MADE_AS_FOLDER = ("", "DirectoryOrCreate")


def ensure_host_path(path: str, host_type: str) -> None:
    """Makes sure that a path is there, of the type, and readable; raises VolumeFaultError otherwise.

    Like a container runtime, it makes a folder where nothing is and no type was asked for.
    """
    if host_type not in (*_CHECKS, "", EXISTING):
        raise VolumeFaultError(f"hostPath type {host_type} is not known")
    try:
        if host_type in _MADE_AS_FOLDER and not os.path.lexists(path):
            os.makedirs(path, mode=0o755, exist_ok=True)
        elif host_type == "FileOrCreate" and not os.path.lexists(path):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))
        mode = os.stat(path).st_mode
    except OSError as error:
        raise VolumeFaultError(f"hostPath {system_word(path, error)}") from error
    what, holds = _CHECKS.get(host_type, ("", None))
    if holds is not None and not holds(mode):
        raise VolumeFaultError(f"hostPath type check failed: {path} is not a {what}")
    _refuse_unreadable(path, mode)


def _refuse_unreadable(path: str, mode: int) -> None:
    wanted = os.R_OK | os.X_OK if stat.S_ISDIR(mode) else os.R_OK
    # To be connected to, a socket must be writable; whether devices can be opened only their drivers know.
    if (stat.S_ISDIR(mode) or stat.S_ISREG(mode)) and not os.access(path, wanted):
        raise VolumeFaultError(f"hostPath {path}: {os.strerror(errno.EACCES)}")
