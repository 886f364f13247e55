import os
import signal
import subprocess
import sys

import pytest

from corral.engine.supervisor import lifecycle
from corral.engine.supervisor.children import end_left_behind, left_behind
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import identity
from corral.engine.supervisor.plan import Plan
from tests.supervisor.looking import get


def test_children_go_on_serving_without_their_supervisor(home: Home, plan: Plan) -> None:
    port = lifecycle.start(home, plan).port
    pid = get(port)
    _kill_supervisor(home)
    observation = lifecycle.observe(home)
    assert not observation.is_running
    assert list(observation.orphans) == ["api"]
    assert get(port) == pid


def test_the_next_start_takes_over(home: Home, plan: Plan) -> None:
    """Invariant P4."""
    port = lifecycle.start(home, plan).port
    pid = get(port)
    _kill_supervisor(home)
    started = lifecycle.start(home, plan)
    assert (started.port, started.was_running) == (port, False)
    assert get(port) != pid
    assert not identity(int(pid)).is_alive()


def test_a_stop_ends_what_was_left_behind(home: Home, plan: Plan) -> None:
    """Invariant P4."""
    pid = get(lifecycle.start(home, plan).port)
    _kill_supervisor(home)
    assert lifecycle.stop(home) == ["api"]
    assert not identity(int(pid)).is_alive()
    assert lifecycle.stop(home) == []


def test_a_reused_pid_is_never_signalled(home: Home) -> None:
    """Invariant P3: the note of a dead child names a pid that now belongs to a stranger with another start time."""
    home.make_folders()
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        with open(home.pid_file_of("api"), "w") as file:
            file.write(f"{stranger.pid} 00000000:1\n")
        assert left_behind(home) == {}
        assert end_left_behind(home, grace=0.1) == []
        assert stranger.poll() is None
        stranger.communicate(b"\n", timeout=20)
        assert stranger.returncode == 0


def test_a_stop_of_a_home_that_never_was_does_nothing(home: Home) -> None:
    assert lifecycle.stop(home) == []
    assert not os.path.exists(home.root)


def test_a_stop_that_takes_longer_says_what_it_waits_for(
    home: Home, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "QUIET_SECONDS", 0.0)
    lifecycle.start(home, plan)
    said: list[str] = []
    assert lifecycle.stop(home, said.append) == ["api", "supervisor"]
    assert said == ["waiting for api to end (at most 45 s)"]


def _kill_supervisor(home: Home) -> None:
    report = lifecycle.observe(home).report
    assert report is not None
    assert report.supervisor.send(signal.SIGKILL)
    assert report.supervisor.wait_gone(10)
