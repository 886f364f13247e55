"""A process is its pid and its start, also where only `ps` can tell (invariant P3)."""

import os
import resource
import shutil
import subprocess
import sys

import pytest

from corral.engine.supervisor import host
from corral.engine.supervisor.host import ProcessIdentity, identity

WAYS = [True, False] if sys.platform == "linux" and shutil.which("ps") else [sys.platform == "linux"]


@pytest.fixture(params=WAYS, ids=["proc" if way else "ps" for way in WAYS])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "IS_LINUX", request.param)


@pytest.mark.usefixtures("system")
def test_a_process_is_alive_until_it_has_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    known = identity(child.pid)
    assert known.start
    assert known.is_alive()
    assert identity(child.pid) == known
    assert not ProcessIdentity(child.pid, "another start").is_alive()
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not known.is_alive(), "a zombie does not run"
    child.communicate()
    assert not known.is_alive()
    assert identity(child.pid).start == ""


@pytest.mark.usefixtures("system")
def test_a_reused_pid_is_never_signalled() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert ProcessIdentity(child.pid, "another start").send(9) is False
    assert ProcessIdentity(child.pid, "another start").send_group(9) is False
    assert child.poll() is None
    assert identity(child.pid).send(9) is True
    child.communicate()
    assert child.returncode == -9


def test_the_question_to_ps_goes_through_no_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert host._output("echo", "$HOME; exit 3") == "$HOME; exit 3\n"


def test_one_who_holds_many_files_can_still_wait_for_a_process() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    held: list[int] = []
    try:
        while not held or held[-1] < 1100:
            held.append(os.dup(2))
        assert not identity(os.getpid()).wait_gone(0.01)
    finally:
        for handle in held:
            os.close(handle)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
