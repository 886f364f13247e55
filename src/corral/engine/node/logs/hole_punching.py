"""Giving the blocks of a file's beginning back to the file system, while others append to its end.

The one Linux-only call of the logs. Offsets stay what they are, and what is given back reads as zeros.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache

BLOCK_BYTES = 4096
_KEEP_SIZE, _PUNCH_HOLE = 0x01, 0x02
_UNSUPPORTED = frozenset((errno.EOPNOTSUPP, errno.ENOSYS, errno.ENODEV, errno.EFBIG, errno.EPERM))
_BEYOND_ANY_LOG = 1 << 40

Punch = Callable[[int, int, int], bool]
"""Gives back `length` bytes from `offset` on of an open file; False when the file system cannot."""


def punch(descriptor: int, offset: int, length: int) -> bool:
    """Gives back whole blocks; False when this system or this file system cannot."""
    call = _fallocate()
    if call is None:
        return False
    if length <= 0:
        return True
    while call(descriptor, _KEEP_SIZE | _PUNCH_HOLE, offset, length) != 0:
        problem = ctypes.get_errno()
        if problem in _UNSUPPORTED:
            return False
        if problem != errno.EINTR:
            raise OSError(problem, os.strerror(problem))
    return True


def is_possible(descriptor: int, punch: Punch = punch) -> bool:
    """Tells whether blocks can be given back, by giving back some where there are none."""
    return punch(descriptor, _BEYOND_ANY_LOG, BLOCK_BYTES)


@cache
def _fallocate() -> Callable[[int, int, int, int], int] | None:
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "fallocate64", None) or getattr(library, "fallocate", None)
    if call is None:
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    call.restype = ctypes.c_int

    def fallocate(descriptor: int, mode: int, offset: int, length: int) -> int:
        return int(call(descriptor, mode, offset, length))

    return fallocate
