"""How tests act as a user without rights, in a process of its own."""

import os
import traceback
from collections.abc import Callable

import pytest

from corral.engine.node.machine.system_calls import CLONE_NEWNS, MS_PRIVATE, MS_REC, mount, unshare
from corral.engine.supervisor.host import IS_LINUX

NOBODY = 65534
PASSED, FAILED, IMPOSSIBLE = 0, 1, 2

needs_root = pytest.mark.skipif(not IS_LINUX or os.geteuid() != 0, reason="only root can become somebody else")


def as_nobody(check: Callable[[], None], *, hides: bool = False) -> int:
    """Runs a check as a user without rights, in a process of its own, and returns how that went."""
    child = os.fork()
    if child == 0:
        code = FAILED
        try:
            code = IMPOSSIBLE
            if hides:
                unshare(CLONE_NEWNS)
                mount("none", "/", "none", MS_PRIVATE | MS_REC)
                mount("proc", "/proc", "proc", 0, "hidepid=1")
            code = FAILED
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            check()
            code = PASSED
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
