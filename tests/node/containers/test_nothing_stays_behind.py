"""Killing a container ends everything that it started, wherever that put itself, and nobody else. Invariant N4."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from corral.engine.node.containers.clearing import Ended, end_all, end_pod
from corral.engine.node.containers.ending import kill_everything, processes_of
from corral.engine.node.containers.record import Run, environment_path, read_environment
from corral.engine.node.containers.starting import start
from corral.engine.supervisor.host import identity
from tests.node.containers.launching import PATIENCE, Launcher, ended, until

DAEMON = """
import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
print("daemon", os.getpid(), flush=True)
time.sleep(1000)
"""


def daemon_of(launcher: Launcher, run: Run) -> int:
    return int(until(lambda: launcher.log(run).partition("daemon ")[2].partition("\n")[0]))


def test_a_daemon_in_its_own_session_is_killed_with_its_container(launcher: Launcher) -> None:
    run = start(launcher.launch("sh", "-c", f"{sys.executable} -c '{DAEMON}'; sleep 1000"))
    daemon = identity(daemon_of(launcher, run))

    assert daemon in processes_of(run)
    assert kill_everything(run, PATIENCE)

    assert not daemon.is_alive()
    assert not processes_of(run)
    assert ended(run).exit_code == 137


def test_a_daemon_is_found_by_its_mark_where_there_are_no_control_groups(launcher: Launcher) -> None:
    run = start(launcher.launch("sh", "-c", f"{sys.executable} -c '{DAEMON}'; sleep 1000"))._replace(groups=())
    daemon = identity(daemon_of(launcher, run))

    assert daemon in processes_of(run)
    assert kill_everything(run, PATIENCE)

    assert not daemon.is_alive()


def test_a_process_with_an_empty_environment_is_found_by_its_group(launcher: Launcher) -> None:
    run = launcher.shell("env -i sh -c 'echo daemon $$; exec sleep 1000' & wait")._replace(groups=())
    background = identity(daemon_of(launcher, run))

    assert background in processes_of(run)
    assert kill_everything(run, PATIENCE)

    assert not background.is_alive()


def test_what_the_program_leaves_ends_with_it(launcher: Launcher) -> None:
    run = launcher.shell("env -i setsid sh -c 'echo daemon $$; exec sleep 1000' & sleep 0.1; exit 5")
    background = identity(daemon_of(launcher, run))

    assert ended(run).exit_code == 5

    if run.groups:
        assert not background.is_alive()
    else:
        background.send(signal.SIGKILL)
    assert not processes_of(run)


def test_what_stays_in_the_group_of_an_ended_container_is_found_without_control_groups(launcher: Launcher) -> None:
    run = launcher.shell("env -i sh -c 'echo daemon $$; exec sleep 1000' & sleep 0.1; exit 5")._replace(groups=())
    background = identity(daemon_of(launcher, run))

    assert ended(run).exit_code == 5

    assert not background.is_alive()


def test_others_are_left_alone(launcher: Launcher) -> None:
    with subprocess.Popen(["sleep", "1000"], env={"CORRAL_CONTAINER": "pod-00/main/0"}) as stranger:
        neighbour = launcher.shell("sleep 1000")
        run = launcher.shell("sleep 1000")

        for view in (run, run._replace(groups=())):
            assert kill_everything(view, PATIENCE)

        assert stranger.poll() is None
        assert neighbour.is_running()
        stranger.kill()


def test_a_process_that_forks_as_fast_as_it_can_is_ended(launcher: Launcher) -> None:
    run = launcher.shell("echo daemon $$; while :; do sleep 0.02 & sleep 0.01; done")
    daemon_of(launcher, run)

    assert kill_everything(run, PATIENCE)

    assert not processes_of(run)


def test_the_environment_is_gone_after_the_end(launcher: Launcher) -> None:
    """Values of Secrets stand in it."""
    run = start(launcher.launch("sh", "-c", "sleep 1000", env={"TOKEN": "secret"}))
    assert read_environment(run.folder)[b"TOKEN"] == b"secret"

    kill_everything(run, PATIENCE)

    assert ended(run).exit_code == 137
    assert not Path(environment_path(run.folder)).exists()


def test_control_groups_are_gone_after_the_end(launcher: Launcher) -> None:
    run = launcher.shell("exit 0")
    assert all(os.path.isdir(group) for group in run.groups)

    ended(run)

    assert not any(os.path.exists(group) for group in run.groups)


def test_a_whole_node_is_ended_by_its_records(launcher: Launcher) -> None:
    polite = launcher.shell("trap 'exit 3' TERM; echo daemon $$; while :; do sleep 0.01; done")
    stubborn = launcher.shell("trap '' TERM; echo daemon $$; while :; do sleep 0.01; done")
    over = launcher.shell("exit 0")
    for run in (polite, stubborn):
        daemon_of(launcher, run)
    assert over.holder.wait_gone(20)

    assert end_all(launcher.folder, grace_seconds=0.5) == Ended((polite.owner, stubborn.owner))

    assert [ended(run).exit_code for run in (polite, stubborn, over)] == [3, 137, 0]
    assert end_all(launcher.folder, grace_seconds=0.5) == Ended()


def test_one_pod_is_ended_and_no_other(launcher: Launcher) -> None:
    first, second = launcher.shell("sleep 1000"), launcher.shell("sleep 1000")

    assert end_pod(launcher.folder, first.owner.partition("/")[0], grace_seconds=5.0) == Ended((first.owner,))

    assert ended(first).exit_code == 143
    assert second.is_running()
    assert end_pod(launcher.folder, "never-seen", grace_seconds=5.0) == Ended()


def test_a_node_without_a_folder_has_nothing_to_end(launcher: Launcher) -> None:
    assert not Path(launcher.folder.root).exists()
    assert end_all(launcher.folder, grace_seconds=1.0) == Ended()
