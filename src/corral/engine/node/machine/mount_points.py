"""Empty folders and files that exist only because something is mounted over them, and how they go away again.

Removing a mount point detaches the mounts of everybody who sees something there. So whoever mounts holds a lock on it, and
whoever removes takes the lock first; both end by themselves with the processes that hold them, on the whole machine.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterable

MADE_BY_US = "user.corral.mountpoint"
"""The attribute of what was made for mounts, so that the last of several users can take it away."""
_STAYS = (errno.EAGAIN, errno.ENOTEMPTY, errno.ENOENT, errno.EBADF, errno.EBUSY, errno.EACCES, errno.EPERM, errno.EROFS)


def make(path: str, is_folder: bool) -> None:
    """Makes an empty folder or file to mount over."""
    try:
        if is_folder:
            os.mkdir(path, 0o755)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    except FileExistsError:
        # Another container has made it in this moment.
        return


def mark(path: str) -> None:
    """Marks what was made, where the file system keeps such marks."""
    try:
        os.setxattr(path, MADE_BY_US, b"1")
    except OSError:
        # Without marks only the container that made it takes it away again.
        return


def is_marked(path: str) -> bool:
    """Tells whether something exists only because it was made for mounts."""
    try:
        return os.getxattr(path, MADE_BY_US) == b"1"
    except OSError:
        return False


def hold(path: str) -> bool:
    """Locks a mount point against removal until this process and all that it starts have ended; False when it is gone.

    The lock is an open file that programs inherit.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        # There are no locks here, or somebody is just removing it; the latter shows below.
        pass
    if os.fstat(handle).st_nlink == 0 or not os.path.lexists(path):
        os.close(handle)
        return False
    os.set_inheritable(handle, True)
    return True


def remove_unused(paths: Iterable[str]) -> None:
    """Takes away mount points that were made, the last made first, unless they are in use or no longer empty."""
    for path in reversed(list(dict.fromkeys(paths))):
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if stat.S_ISDIR(os.fstat(handle).st_mode):
                os.rmdir(path)
            elif os.fstat(handle).st_size == 0:
                os.unlink(path)
        except OSError as error:
            if error.errno not in _STAYS:
                raise
        finally:
            os.close(handle)
