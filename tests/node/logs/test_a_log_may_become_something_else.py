"""A container runs as the same user and may put anything in place of its files; whoever reads them must not wait for it."""

import os
from pathlib import Path

import pytest

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.containers.record import adopt, record_path, write_ending
from corral.engine.node.containers.starting import start
from corral.engine.node.folder import NodeFolder
from corral.engine.node.logs.asked import Asked
from corral.engine.node.logs.keeping import LiveLogs
from corral.engine.node.logs.kept_text import read_kept
from corral.engine.node.pods.evidence import last_words
from corral.engine.small_files import NoPlainFileError, note, open_plain, read_text
from tests.node.containers.launching import Launcher
from tests.node.logs.run_of_lines import RunOfLines

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(30)]
KINDS = pytest.mark.parametrize("kind", ["pipe", "link", "folder", "device"])


def replace(path: str, kind: str) -> None:
    """Puts something else in place of a file."""
    if os.path.exists(path):
        os.unlink(path)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        os.symlink("/etc/hostname", path)
    elif kind == "folder":
        os.mkdir(path)
    else:
        os.symlink("/dev/zero", path)


@KINDS
async def test_reading_it_fails_at_once(run: RunOfLines, kind: str) -> None:
    run.say(b"something\n")
    replace(run.log.path, kind)
    with pytest.raises(NoPlainFileError):
        await run.shown(Asked())
    with pytest.raises(NoPlainFileError):
        list(read_kept(run.log))
    assert last_words(run.log.path) == ""


@KINDS
async def test_the_care_for_logs_goes_on(run: RunOfLines, kind: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = RunOfLines(tmp_path / "other")
    for path in (run.log.path, run.log.times, run.log.older):
        replace(path, kind)
    logs = LiveLogs()
    logs.begin(run.log)
    logs.begin(other.log)
    other.say(b"heard\n")
    await logs.end(run.log)
    await logs.end(other.log)
    await logs.close()
    assert await other.shown(Asked(timestamps=True)) != b""


@KINDS
def test_a_container_does_not_start_with_it(kind: str, tmp_path: Path) -> None:
    launch = Launcher(NodeFolder(str(tmp_path))).launch("true")
    os.makedirs(os.path.dirname(launch.log))
    replace(launch.log, kind)
    with pytest.raises(StartRefusedError, match="cannot prepare the run") as refused:
        start(launch)
    assert refused.value.reason == "CreateContainerError"


@KINDS
def test_a_record_that_is_no_file_tells_of_a_run_that_has_ended(kind: str, tmp_path: Path) -> None:
    folder = str(tmp_path)
    replace(record_path(folder), kind)
    found = adopt(folder)
    assert found is not None
    assert not found.is_running()
    replace(os.path.join(folder, "exit"), "pipe")
    write_ending(folder, 137)
    assert read_text(os.path.join(folder, "exit")) == "137\n"


def test_small_files_are_written_where_a_pipe_waits(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    os.mkfifo(path)
    os.mkfifo(f"{path}.{os.getpid()}.new")
    assert read_text(path) == ""
    note(path, "text")
    assert read_text(path) == "text"


def test_what_is_opened_blocks_as_files_do(tmp_path: Path) -> None:
    """It becomes the standard output of a container."""
    handle = open_plain(str(tmp_path / "log"), os.O_WRONLY | os.O_CREAT)
    assert os.get_blocking(handle)
    os.close(handle)
