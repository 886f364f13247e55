import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from corral.engine.supervisor import lifecycle
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.host import resident_bytes
from corral.engine.supervisor.listening import PORTS, ports_for
from corral.engine.supervisor.plan import ChildSpec, Plan, write_plan
from corral.engine.supervisor.readiness import wait_ready
from corral.errors import CorralError
from tests.supervisor.looking import child_when, children, get


def test_a_start_is_answered_and_repeating_it_changes_nothing(home: Home, plan: Plan) -> None:
    first = lifecycle.start(home, plan)
    wait_ready(home, first.port, 20)
    pid = get(first.port)
    again = lifecycle.start(home, plan)
    assert (first.was_running, again.was_running, again.port) == (False, True, first.port)
    assert get(first.port) == pid


def test_a_killed_child_is_started_again_while_callers_wait(home: Home, plan: Plan) -> None:
    """Connections made while nobody serves are queued by the supervisor's socket, never refused."""
    port = lifecycle.start(home, plan).port
    before = get(port)
    os.kill(int(before), signal.SIGKILL)
    after = get(port)
    assert after != before
    child = child_when(home, lambda child: child.restarts == 1)
    assert (child.last_exit, child.is_crash_loop) == ("signal 9", False)


def test_many_callers_lose_nothing_over_repeated_kills(home: Home, plan: Plan) -> None:
    """Invariant P2."""
    port = lifecycle.start(home, plan).port
    answers: list[str] = []

    def call() -> None:
        # A connection that was already accepted dies with the server; a new one must always get its answer.
        for _ in range(5):
            try:
                answers.append(get(port))
                return
            except ConnectionError:
                continue

    for _ in range(3):
        callers = [threading.Thread(target=call) for _ in range(10)]
        os.kill(int(get(port)), signal.SIGKILL)
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
    assert len(answers) == 30


def test_the_port_is_the_same_after_a_stop(home: Home, plan: Plan) -> None:
    """Invariant P6."""
    port = lifecycle.start(home, plan).port
    get(port)
    assert lifecycle.stop(home) == ["api", "supervisor"]
    assert lifecycle.start(home, plan).port == port


def test_a_child_that_needs_a_person_is_reported_and_left_alone(home: Home, plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "exit-with").write_text("70")
    port = lifecycle.start(home, plan).port
    with pytest.raises(CorralError) as caught:
        wait_ready(home, port, 20)
    assert caught.value.code == "child-failed"
    assert "told to fail with 70" in caught.value.message
    assert child_when(home, lambda child: child.state == "failed").restarts == 0
    (tmp_path / "exit-with").unlink()
    lifecycle.start(home, plan)
    wait_ready(home, port, 20)


def test_a_crash_loop_is_visible(home: Home, plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "exit-with").write_text("3")
    lifecycle.start(home, plan)
    assert child_when(home, lambda child: child.is_crash_loop).last_exit == "exit status 3"


def test_a_new_plan_starts_and_stops_only_what_differs(home: Home, plan: Plan) -> None:
    port = lifecycle.start(home, plan).port
    pid = get(port)
    sleeper = ChildSpec("sleeper", (sys.executable, "-S", "-c", "import time; time.sleep(600)"))
    lifecycle.start(home, (*plan, sleeper))
    child_when(home, lambda _: [c.name for c in children(home)] == ["api", "sleeper"])
    lifecycle.start(home, plan)
    child_when(home, lambda _: [c.name for c in children(home)] == ["api"])
    assert get(port) == pid


def test_a_taken_port_is_named(home: Home, plan: Plan) -> None:
    other = Home(home.root + "-other")
    try:
        port = lifecycle.start(other, plan).port
        with pytest.raises(CorralError) as caught:
            lifecycle.start(home, plan, port)
        assert caught.value.code == "port-taken"
        assert str(port) in caught.value.message
    finally:
        lifecycle.stop(other)


def test_homes_begin_their_search_for_a_port_at_different_places() -> None:
    first = {ports_for(f"home-{number}")[0] for number in range(20)}
    assert len(first) > 15
    assert sorted(ports_for("home")) == list(PORTS)


def test_another_port_is_refused_while_running(home: Home, plan: Plan) -> None:
    port = lifecycle.start(home, plan).port
    with pytest.raises(CorralError) as caught:
        lifecycle.start(home, plan, port + 1)
    assert caught.value.code == "already-running"


def test_starts_at_the_same_time_end_in_one_supervisor(home: Home, plan: Plan) -> None:
    """Invariant P1."""
    program = (
        "import sys\n"
        "from corral.engine.supervisor import lifecycle\n"
        "from corral.engine.supervisor.home import Home\n"
        "from corral.engine.supervisor.plan import ChildSpec\n"
        "print(lifecycle.start(Home(sys.argv[1]), (ChildSpec('api', tuple(sys.argv[2:])),)))\n"
    )
    starters = [
        subprocess.Popen([sys.executable, "-c", program, home.root, *plan[0].argv], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    outcomes = [starter.communicate(timeout=60)[0] for starter in starters]
    assert sum("was_running=False" in outcome for outcome in outcomes) == 1
    assert sum("was_running=True" in outcome for outcome in outcomes) == 3


def test_a_starter_that_leaves_early_is_not_missed(home: Home, plan: Plan) -> None:
    """Ctrl-C at `corral up` closes the pipe on which the supervisor would say that it is ready."""
    home.make_folders()
    home.ensure_token()
    write_plan(home, plan)
    readable, writable = os.pipe()
    os.close(readable)
    command = [sys.executable, "-P", "-m", "corral.engine.supervisor", home.root, "0", str(writable)]
    subprocess.run(command, pass_fds=[writable], stderr=subprocess.DEVNULL, check=True, timeout=20)
    os.close(writable)
    child = child_when(home, lambda child: child.state == "running")
    port = home.port()
    assert port is not None
    assert get(port) == str(child.process.pid)


def test_the_supervisor_is_small_and_holds_nothing_of_its_starter(home: Home, plan: Plan) -> None:
    """`communicate` above and below returns only when nobody holds the pipe; here the memory is looked at too."""
    lifecycle.start(home, plan)
    report = lifecycle.observe(home).report
    assert report is not None
    assert resident_bytes(report.supervisor.pid) < 15 << 20


def test_the_supervisor_rests_after_a_child_has_ended(home: Home, plan: Plan) -> None:
    """One that spins is always ready to run; one that rests is found asleep nearly always."""
    port = lifecycle.start(home, plan).port
    os.kill(int(get(port)), signal.SIGKILL)
    get(port)
    child_when(home, lambda child: child.restarts == 1)
    report = lifecycle.observe(home).report
    assert report is not None
    states = []
    for _ in range(20):
        threading.Event().wait(0.02)
        states.append(Path(f"/proc/{report.supervisor.pid}/stat").read_text().rpartition(")")[2].split()[0])
    assert states.count("S") > 10, states
