"""Machines that hide the processes of other users (hidepid) and such as cannot be signalled: not seen, and nothing fails."""

import os
import subprocess
import traceback
from collections.abc import Callable

import pytest

from corral.engine.node.machine.processes import children_of, is_unreaped, process_table, reap
from corral.engine.node.machine.system_calls import CLONE_NEWNS, MS_PRIVATE, MS_REC, mount, unshare
from corral.engine.supervisor.host import IS_LINUX, ProcessIdentity, identity

pytestmark = pytest.mark.skipif(not IS_LINUX or os.geteuid() != 0, reason="only root can become somebody else")

NOBODY = 65534
PASSED, FAILED, IMPOSSIBLE = 0, 1, 2


def as_nobody(check: Callable[[], None], *, hides: bool) -> int:
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


def test_hidden_processes_are_left_out() -> None:
    other = identity(os.getpid())

    def check() -> None:
        me = os.getpid()
        seen = {entry.pid for entry in process_table()}
        assert me in seen
        assert other.pid not in seen
        assert identity(other.pid) == ProcessIdentity(other.pid, "")
        assert not is_unreaped(other)
        assert reap(other) is None
        assert children_of(other.pid) == (me,)

    code = as_nobody(check, hides=True)
    if code == IMPOSSIBLE:
        pytest.skip("this machine does not let us hide processes")
    assert code == PASSED


def test_a_process_of_somebody_else_is_not_signalled_and_nothing_fails() -> None:
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as other:
        process = identity(other.pid)

        def check() -> None:
            assert process.is_alive()
            assert not process.send(9)
            assert not process.send_group(9)

        assert as_nobody(check, hides=False) == PASSED
        other.kill()
