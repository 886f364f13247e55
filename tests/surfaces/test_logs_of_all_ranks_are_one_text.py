"""`corral logs`: what all pods print, marked, in order, across restarts and a killed API, until the job ends."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.ports.object_store import Patch
from corral.testing.hollow_node import Part
from corral.testing.hollow_node.log_book import Container
from tests.surfaces.conftest import private_environment
from tests.surfaces.hollow_stage import HollowStage, Running, hollow_stage, until

LINES = ("one", "two", "three")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        yield made


def test_all_ranks_are_marked_and_can_be_chosen(stage: HollowStage) -> None:
    stage.submit("ranks", workers=2, master=Part(lines=LINES), worker=Part(lines=LINES))
    assert stage.cli("wait", "ranks", "--timeout", "60s").returncode == 0

    def logs(*words: str) -> list[str]:
        done = stage.cli("logs", "ranks", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    assert sorted(logs()) == sorted(
        f"[{rank}] {line}" for rank in ("master-0", "worker-0", "worker-1") for line in LINES
    )
    assert logs("--rank", "1") == ["one", "two", "three"]
    assert sorted(logs("--role", "worker", "--tail", "1")) == ["[worker-0] three", "[worker-1] three"]
    assert stage.cli("logs", "ranks-master-0").stdout == "one\ntwo\nthree\n"
    assert stage.cli("logs", "pod/ranks-master-0", "--since", "1h").stdout == "one\ntwo\nthree\n"
    stamped = stage.cli("logs", "ranks", "--rank", "0", "--timestamps").stdout.splitlines()
    assert [line[10:11] + line[30:] for line in stamped] == ["T one", "T two", "T three"]
    assert stage.cli("logs", "ranks", "--rank", "7").returncode == 2
    assert stage.cli("logs", "ranks", "-c", "sidecar").returncode == 2
    assert stage.cli("logs", "ranks", "--rank", "1", "--role", "worker").returncode == 2


def test_a_job_is_followed_before_its_pods_exist_and_until_it_ends(stage: HollowStage) -> None:
    stage.submit("early", workers=1, master=Part(pending=1.0, lines=LINES), worker=Part(pending=0.5, lines=LINES))
    done = stage.cli("logs", "-f", "early")
    assert done.returncode == 0
    assert sorted(done.stdout.splitlines()) == sorted(
        f"[{rank}] {line}" for rank in ("master-0", "worker-0") for line in LINES
    )
    assert done.stderr.splitlines()[-1].startswith("early succeeded after ")


def test_a_container_is_followed_across_its_restarts(stage: HollowStage) -> None:
    # Long enough for a slow machine to begin with the first run, which nobody keeps when there was a third.
    part = Part(pending=5.0, seconds=3.0, exit_codes=(1, 1, 0), lines=("try",))
    stage.submit("again", workers=0, restart_policy="OnFailure", master=part)
    done = stage.cli("logs", "-f", "again")
    assert done.stdout == "try\ntry\ntry\n"
    previous = stage.cli("logs", "again", "--previous")
    assert previous.stdout == "try\n"


def test_a_run_that_is_served_before_the_api_tells_of_it_is_read_once(stage: HollowStage) -> None:
    stage.submit("ahead", workers=0, restart_policy="OnFailure", master=Part(seconds=None, lines=("one", "two")))
    container = Container("default", "ahead-master-0", "pytorch")
    with Running(stage.home, "logs", "-f", "ahead") as following:
        following.wait_line("two")
        stage.node.begin_again(container)
        stage.say("ahead-master-0", "three")
        following.wait_line("three")
        pod = stage.client.get(POD, ObjectKey("default", "ahead-master-0"))
        held = [{**pod["status"]["containerStatuses"][0], "restartCount": 1}]
        status = Patch("merge", {"status": {"containerStatuses": held}})
        stage.client.patch(POD, ObjectKey("default", "ahead-master-0"), status, subresource="status")
        stage.node.cut(container)
        stage.say("ahead-master-0", "four")
        following.wait_line("four")
        assert stage.cli("delete", "ahead").returncode == 0
        following.end()
    assert following.lines == ["one\n", "two\n", "three\n", "four\n"]


def test_a_pod_that_replaces_another_is_followed_too(stage: HollowStage) -> None:
    stage.submit("replaced", workers=0, restart_policy="ExitCode", master=Part(seconds=None, lines=("here",)))
    with Running(stage.home, "logs", "-f", "replaced") as following:
        following.wait_line("here")
        stage.client.delete(POD, ObjectKey("default", "replaced-master-0"))
        until(lambda: following.lines.count("here\n") == 2, "the lines of the second pod", lambda: str(following.lines))
        assert stage.cli("delete", "replaced").returncode == 0
        status, told = following.end()
    assert (status, following.lines) == (0, ["here\n", "here\n"])
    assert told.splitlines()[-1] == "replaced was deleted"


def _kill(pid: int) -> bool:
    """Ends a process; one that is told and has ended by itself meanwhile is looked for again."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def test_no_line_is_lost_or_doubled_when_the_api_is_killed(stage: HollowStage) -> None:
    stage.submit(
        "killed", workers=1, master=Part(seconds=None, lines=("begin",)), worker=Part(seconds=None, lines=("begin",))
    )
    pods = ("killed-master-0", "killed-worker-0")
    with Running(stage.home, "logs", "-f", "killed") as following:
        for pod in pods:
            following.wait_line(f"[{pod.removeprefix('killed-')}] begin")
        for number in range(60):
            if number in (20, 40):
                until(lambda: _kill(stage.process_of("api")), "an API to kill")
            for pod in pods:
                stage.say(pod, f"step {number}", "same")
        for pod in pods:
            following.wait_line(f"[{pod.removeprefix('killed-')}] step 59")
        assert stage.cli("delete", "killed").returncode == 0
        assert following.end()[0] == 0
    for rank in ("master-0", "worker-0"):
        own = [line.removeprefix(f"[{rank}] ") for line in following.lines if line.startswith(f"[{rank}]")]
        want = ["begin\n"] + [line for number in range(60) for line in (f"step {number}\n", "same\n")]
        assert own == want


def test_of_a_failed_job_the_failed_rank_comes_first(stage: HollowStage) -> None:
    stage.submit(
        "failing", workers=2, worker=Part(lines=("fine",)), master=Part(seconds=1.0, exit_codes=(3,), lines=("bad",))
    )
    assert stage.cli("wait", "failing", "--for", "failed", "--timeout", "60s").returncode == 0
    done = stage.cli("logs", "failing")
    assert done.stdout.splitlines()[0] == "[master-0] bad"
    assert "note: master-0 failed: its lines come first" in done.stderr
    followed = stage.cli("logs", "-f", "failing")
    assert "failing failed after " in followed.stderr
    assert "(user)" in followed.stderr


def test_ctrl_c_detaches_and_says_that_the_job_goes_on(stage: HollowStage) -> None:
    stage.submit("left", workers=0, master=Part(seconds=None, lines=("here",)))
    with Running(stage.home, "logs", "-f", "left") as following:
        following.wait_line("here")
        following.process.send_signal(signal.SIGINT)
        status, told = following.end()
    assert status == 130
    assert "\ndetached; left goes on\nhint: `corral logs -f left` follows it again" in told
    assert stage.cli("wait", "left", "--for", "running", "--timeout", "10s").returncode == 0


def test_on_a_terminal_ranks_are_coloured_and_nothing_that_they_print_steers_it(stage: HollowStage) -> None:
    stage.submit("shown", workers=1, master=Part(lines=("\x1b]0;owned\x07\x1b[2Jred \x1b[31mtext",)))
    assert stage.cli("wait", "shown", "--timeout", "60s").returncode == 0
    shown = on_terminal(stage.home, "logs", "shown")
    assert "␛]0;owned␇␛[2Jred text" in shown
    assert "\x1b]" not in shown
    assert "\x1b[2J" not in shown
    assert "\x1b[36m[" in shown
    assert "\x1b" not in on_terminal(stage.home, "logs", "shown", NO_COLOR="1")


def on_terminal(home: Path, *words: str, **more: str) -> str:
    """Returns what a command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**private_environment(home), "TERM": "xterm", **more}
    process = subprocess.Popen(
        [sys.executable, "-m", "corral", *words],
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    shown = b""
    while piece := _read(ours):
        shown += piece
    os.close(ours)
    assert process.wait(60) == 0
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""


def test_a_job_without_pods_says_so(stage: HollowStage) -> None:
    stage.submit("unborn", workers=0, master=Part(pending=600.0))
    done = stage.cli("logs", "unborn")
    assert (done.returncode, done.stdout) == (0, "")
    assert "note: " in done.stderr


def test_a_reader_that_has_seen_enough_is_no_failure(stage: HollowStage) -> None:
    stage.submit("long", workers=0, master=Part(lines=("much",) * 20_000))
    assert stage.cli("wait", "long", "--timeout", "60s").returncode == 0
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "corral", "logs", "long"]
    with subprocess.Popen(command, env=private_environment(stage.home), stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"much\n"
        process.stdout.close()
        assert (process.stderr.read(), process.wait(60)) == (b"", 0)
