"""Machines that hide the processes of other users (hidepid) and such as cannot be signalled: not seen, and nothing fails."""

import os
import subprocess

import pytest

from corral.engine.node.machine.processes import children_of, is_unreaped, process_table, reap
from corral.engine.supervisor.host import ProcessIdentity, identity
from tests.node.machine.somebody_else import IMPOSSIBLE, PASSED, as_nobody, needs_root

pytestmark = needs_root


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
