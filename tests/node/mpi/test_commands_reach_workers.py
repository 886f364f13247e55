"""The stand-ins for ssh and kubectl: what a launcher runs through them behaves as if it ran there, and ends with either."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.engine.node.containers.clearing import end_all
from corral.engine.node.containers.ending import kill_everything
from corral.engine.node.containers.launch import Mount
from corral.engine.supervisor.host import ProcessIdentity, identity
from tests.node.containers.launching import PATIENCE, until
from tests.node.mpi.stage import MpiStage

HOST = "pi-worker-0.pi.ml.svc"
SLEEPS = ("sleep", "1000")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[MpiStage]:
    stage = MpiStage(tmp_path)
    stage.hostfile.write_text(f"{HOST} slots=2\npi-worker-1.pi.ml.svc slots=2\n")
    yield stage
    stage.close()
    end_all(stage.folder, 0.0)


WAYS = pytest.mark.parametrize("argv", [(), SLEEPS], ids=["through the door", "by joining"])
"""Both ways in: a worker that waits for commands, and one that has a program of its own."""


@WAYS
def test_input_output_and_exit_code_are_those_of_the_command(stage: MpiStage, argv: tuple[str, ...]) -> None:
    stage.start(0, argv)
    done = stage.run("ssh", "-x", HOST, "read", "word;", "echo got $word;", "echo no >&2;", "exit 3", said="yes\n")
    assert (done.returncode, done.stdout, done.stderr) == (3, "got yes\n", "no\n")


@WAYS
def test_a_command_sees_what_the_worker_sees(stage: MpiStage, argv: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "here").write_text("")
    stage.start(0, argv, mounts=(Mount(str(tmp_path / "data"), "/srv/data"),), OWN="of the worker")
    done = stage.run("ssh", HOST, "echo $CORRAL_CONTAINER $OWN; pwd; ls /srv/data", OWN="of the launcher")
    assert done.stdout.splitlines() == ["worker-0/mpi/0 of the worker", "/", "here"], done.stderr


@WAYS
def test_a_signal_reaches_the_command(stage: MpiStage, argv: tuple[str, ...]) -> None:
    stage.start(0, argv)
    agent = stage.begin("ssh", HOST, "trap 'echo asked; exit 5' TERM; echo ready; while :; do sleep 0.01; done")
    assert agent.stdout is not None
    assert agent.stdout.readline() == "ready\n"
    agent.send_signal(signal.SIGTERM)
    assert agent.communicate(timeout=20)[0] == "asked\n"
    assert agent.returncode == 5


@WAYS
def test_a_command_dies_with_its_agent(stage: MpiStage, argv: tuple[str, ...]) -> None:
    stage.start(0, argv)
    agent = stage.begin("ssh", HOST, "echo $$; exec sleep 1000")
    command = _told(agent.stdout)
    agent.kill()
    assert command.wait_gone(20)


@WAYS
def test_a_command_dies_with_its_worker(stage: MpiStage, argv: tuple[str, ...]) -> None:
    run = stage.start(0, argv)
    agent = stage.begin("ssh", HOST, "echo $$; exec sleep 1000")
    command = _told(agent.stdout)
    assert kill_everything(run, PATIENCE)
    assert command.wait_gone(20)
    agent.communicate(timeout=20)
    assert agent.returncode in (137, -signal.SIGKILL)


def _told(said: object) -> ProcessIdentity:
    """Returns the process that a command names on its first line."""
    return identity(int(said.readline()))  # type: ignore[attr-defined]


def test_many_commands_run_at_once(stage: MpiStage) -> None:
    stage.start(0)
    agents = [stage.begin("ssh", HOST, f"echo {number}; exit {number}") for number in range(20)]
    answers = [(agent.communicate(timeout=60)[0], agent.returncode) for agent in agents]
    assert answers == [(f"{number}\n", number) for number in range(20)]


def test_a_long_command_arrives_whole(stage: MpiStage) -> None:
    stage.start(0)
    done = stage.run("ssh", HOST, f"echo {'x' * 100_000} | wc -c")
    assert done.stdout.strip() == "100001"


def test_no_input_means_an_end_at_once(stage: MpiStage) -> None:
    stage.start(0)
    assert stage.run("ssh", "-n", HOST, "cat", said="something").stdout == ""


def test_a_worker_that_does_not_run_yet_is_waited_for(stage: MpiStage) -> None:
    agent = stage.begin("ssh", HOST, "echo here")
    assert agent.stderr is not None
    assert agent.stderr.readline() == f"corral: waiting until pod {HOST} runs\n"
    stage.start(0)
    assert agent.communicate(timeout=20)[0] == "here\n"


def test_a_worker_that_never_runs_is_given_up(stage: MpiStage) -> None:
    done = stage.run("ssh", HOST, "true", CORRAL_AGENT_PATIENCE="0.2")
    assert (done.returncode, done.stderr) == (255, f"corral: pod {HOST} does not run after 0.2 s\n")
    done = stage.run("kubectl", "exec", "pi-worker-0", "--", "true", CORRAL_AGENT_PATIENCE="0.2")
    assert (done.returncode, done.stderr) == (1, "corral: pod pi-worker-0 does not run after 0.2 s\n")


@pytest.mark.parametrize(
    "name", ["pi-worker-0", "pi-worker-0.pi", "pi-worker-0.pi.ml.svc.cluster.local", "me@pi-worker-0"]
)
def test_every_form_of_a_name_is_known(stage: MpiStage, name: str) -> None:
    stage.start(0)
    assert stage.run("ssh", name, "echo $CORRAL_CONTAINER").stdout == "worker-0/mpi/0\n"


@pytest.mark.parametrize("name", ["pi-worker-7", "pi-worker-0.other.ml.svc.x", "example.com"])
def test_other_hosts_are_left_to_the_real_ssh(stage: MpiStage, name: str, tmp_path: Path) -> None:
    stage.start(0)
    stage.hostfile.unlink()
    real = tmp_path / "real" / "ssh"
    real.parent.mkdir()
    real.write_text('#!/bin/sh\necho real "$@"\n')
    real.chmod(0o755)
    path = f"{stage.folder.stand_ins}:{real.parent}:/bin"
    assert stage.run("ssh", "-p", "22", name, "true", PATH=path).stdout == f"real -p 22 {name} true\n"


def test_without_a_real_one_it_is_said(stage: MpiStage) -> None:
    done = stage.run("kubectl", "get", "pods", PATH=stage.folder.stand_ins)
    assert (done.returncode, done.stderr) == (
        1,
        "corral: only `exec` is understood here, and there is no other kubectl\n",
    )


def test_kubectl_runs_exactly_the_words_that_it_is_given(stage: MpiStage) -> None:
    stage.start(0)
    done = stage.run("kubectl", "exec", "pi-worker-0", "--container", "mpi", "--", "printf", "%s|", "a b", "$HOME", "")
    assert done.stdout == "a b|$HOME||"


def test_a_program_that_is_not_there_is_told_by_its_code(stage: MpiStage) -> None:
    stage.start(0)
    assert stage.run("kubectl", "exec", "pi-worker-0", "--", "no-such-program").returncode == 127
    assert stage.run("kubectl", "exec", "pi-worker-0", "--", "/etc").returncode == 126


def test_another_container_than_runs_is_not_taken_instead(stage: MpiStage) -> None:
    stage.start(0)
    done = stage.run("kubectl", "exec", "pi-worker-0", "-c", "other", "--", "true", CORRAL_AGENT_PATIENCE="0.2")
    assert done.stderr == "corral: container other of pod pi-worker-0 does not run after 0.2 s\n"


def test_the_delivery_brings_kubectl_and_waits_for_the_workers(stage: MpiStage, tmp_path: Path) -> None:
    target = tmp_path / "kube"
    delivery = stage.deliver(target)
    stage.start(0)
    until(lambda: os.access(target / "kubectl", os.X_OK))
    assert delivery.stdout is not None
    assert delivery.stdout.readline() == "waiting until pi-worker-1.pi.ml.svc run\n"
    stage.start(1)
    assert delivery.communicate(timeout=20)[0] == f"{target / 'kubectl'} is there, and all 2 hosts run\n"
    assert delivery.returncode == 0
