"""The few calls of Linux that Python does not offer, as functions that raise OSError like those of `os`.

They are looked up once, at import: between fork and exec nothing may be loaded any more. Elsewhere each of them says that
it does not exist.
"""

import ctypes
import errno
import os
import platform

from corral.engine.supervisor.host import IS_LINUX

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000

MS_RDONLY = 1
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_UNBINDABLE = 1 << 17
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}.get(platform.machine(), -1)

_libc = ctypes.CDLL(None, use_errno=True)
_unshare = getattr(_libc, "unshare", None)
_setns = getattr(_libc, "setns", None)
_mount = getattr(_libc, "mount", None)
_umount2 = getattr(_libc, "umount2", None)
_prctl = getattr(_libc, "prctl", None)
_syscall = getattr(_libc, "syscall", None)


def unshare(flags: int) -> None:
    """Moves the calling process into new namespaces."""
    _done(_unshare and _unshare(ctypes.c_int(flags)), "unshare")


def set_namespace(handle: int, flags: int = 0) -> None:
    """Moves the calling process into the namespace that an open file stands for."""
    _done(_setns and _setns(ctypes.c_int(handle), ctypes.c_int(flags)), "setns")


def die_with_parent(number: int) -> None:
    """Lets the kernel send a signal to the calling process when the thread that started it ends."""
    if IS_LINUX:
        _done(_prctl and _prctl(ctypes.c_int(1), ctypes.c_ulong(number)), "prctl")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mounts, binds or remounts."""
    result = _mount and _mount(
        os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), os.fsencode(options)
    )
    _done(result, target)


def unmount(target: str) -> None:
    """Detaches a mount at once; it goes away when nobody uses it any more."""
    _done(_umount2 and _umount2(os.fsencode(target), ctypes.c_int(MNT_DETACH)), target)


def pivot_root(new: str, old: str) -> None:
    """Makes a mounted folder the root of the mount namespace and puts the former root at `old`."""
    if _PIVOT_ROOT < 0:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), "pivot_root")
    _done(_syscall and _syscall(ctypes.c_long(_PIVOT_ROOT), os.fsencode(new), os.fsencode(old)), new)


def _done(result: int | None, subject: str) -> None:
    if result is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), subject)
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), subject)
