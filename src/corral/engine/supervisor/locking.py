"""Locks between processes: held by the kernel for a process, so they vanish with it, however it ends."""

import fcntl
import os


class HeldLock:
    """A lock that this process holds until `release` or its end."""

    def __init__(self, handle: int, path: str) -> None:
        self._handle = handle
        self._path = path

    def is_in_place(self) -> bool:
        """Tells whether the file at the lock's path is still the one that is held; others would take another one."""
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._handle))
        except (FileNotFoundError, NotADirectoryError):
            return False

    def release(self) -> None:
        """Lets the next one in."""
        os.close(self._handle)

    def __enter__(self) -> "HeldLock":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def take(path: str) -> HeldLock:
    """Waits for the lock and takes it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return HeldLock(handle, path)


def try_take(path: str) -> HeldLock | None:
    """Takes the lock when it is free, None when somebody holds it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return HeldLock(handle, path)


def is_held(path: str) -> bool:
    """Tells whether somebody holds the lock now; an absent file is held by nobody."""
    if not os.path.exists(path):
        return False
    lock = try_take(path)
    if lock is None:
        return True
    lock.release()
    return False
