"""How another process sees the file system, and taking on its view."""

import os
from typing import NamedTuple

from corral.engine.node.machine import system_calls as system
from corral.engine.supervisor.host import IS_LINUX

_ABSENT = -1


class View(NamedTuple):
    """Open files that stand for the namespaces and the root of a process; -1 where they are our own already."""

    user: int = _ABSENT
    mounts: int = _ABSENT
    root: int = _ABSENT

    def handles(self) -> tuple[int, ...]:
        """Returns the open files."""
        return tuple(handle for handle in self if handle != _ABSENT)

    def moved_to(self, first: int) -> "View":
        """Returns the same view after its open files were moved to `first` and the numbers that follow."""
        numbers = iter(range(first, first + len(self)))
        return View(*(next(numbers) if handle != _ABSENT else _ABSENT for handle in self))

    def close(self) -> None:
        """Closes the open files."""
        for handle in self.handles():
            os.close(handle)


def open_view(pid: int) -> View:
    """Opens the view of a running process."""
    if not IS_LINUX:
        return View()
    user = _other_namespace(pid, "user")
    mounts = _other_namespace(pid, "mnt")
    there, here = os.stat(f"/proc/{pid}/root"), os.stat("/")
    is_same_root = mounts == _ABSENT and (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)
    root = _ABSENT if is_same_root else os.open(f"/proc/{pid}/root", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    return View(user, mounts, root)


def enter_view(view: View) -> None:
    """Makes the calling process, which must have one thread only, see what another sees."""
    if view.user != _ABSENT:
        system.set_namespace(view.user, system.CLONE_NEWUSER)
    if view.mounts != _ABSENT:
        system.set_namespace(view.mounts, system.CLONE_NEWNS)
    if view.root != _ABSENT:
        os.fchdir(view.root)
        os.chroot(".")


def _other_namespace(pid: int, kind: str) -> int:
    path = f"/proc/{pid}/ns/{kind}"
    if os.readlink(path) == os.readlink(f"/proc/self/ns/{kind}"):
        return _ABSENT
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
