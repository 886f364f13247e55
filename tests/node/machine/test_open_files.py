"""The node may have more files open than the user's programs; containers, and what joins them, get what those have."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from corral.engine.node.containers.ending import is_born, kill_everything
from corral.engine.node.containers.joining import Streams, join
from corral.engine.node.containers.launch import Limits, Mount
from corral.engine.node.containers.record import Run
from corral.engine.node.containers.starting import start
from corral.engine.node.machine.mounts import why_no_mounts
from corral.engine.node.machine.open_files import as_word
from tests.node.containers.launching import PATIENCE, Launcher, ended, until

RAISE = """
import resource
from corral.engine.node.machine.open_files import raise_limit, take_limit
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
print(raise_limit(), resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(most % (1 << 63), 1 << 20))
take_limit(None)
take_limit(100)
print(raise_limit(), raise_limit() > 100)
"""


def test_the_limit_is_raised_to_what_is_allowed_and_lowered_again() -> None:
    said = subprocess.run([sys.executable, "-c", RAISE], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["64 True", "100 True"]


def test_limits_are_told_to_shells() -> None:
    assert [as_word(one) for one in (None, 100, resource.RLIM_INFINITY)] == ["", "100", "unlimited"]


@pytest.mark.parametrize("with_mounts", [False, True])
def test_containers_get_the_limit_of_the_user(launcher: Launcher, with_mounts: bool, tmp_path: Path) -> None:
    if with_mounts and why_no_mounts():
        pytest.skip(why_no_mounts())
    mounts = (Mount(str(tmp_path), "/mnt"),) if with_mounts else ()
    run = start(launcher.launch("sh", "-c", "ulimit -S -n", limits=Limits(open_files=77), mounts=mounts))
    assert ended(run).exit_code == 0
    assert launcher.log(run) == "77\n"


def test_what_joins_a_container_gets_its_limit(launcher: Launcher, tmp_path: Path) -> None:
    run = start(launcher.launch("sleep", "60", limits=Limits(open_files=77)))
    until(lambda: is_born(run))
    assert _said(run, tmp_path / "said") == "77\n"
    kill_everything(run, PATIENCE)
    ended(run)


def _said(run: Run, path: Path) -> str:
    with path.open("wb") as file:
        joined = join(run.folder, ("sh", "-c", "ulimit -S -n"), Streams(0, file.fileno(), file.fileno()))
    os.waitpid(joined.process.pid, 0)
    return path.read_text()
