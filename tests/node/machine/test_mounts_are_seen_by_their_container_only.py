"""Files and folders appear where a container wants them, whatever is there, and the machine stays as it was.

wanted at                          what happens
a path that exists                 it is covered
below home or a temporary folder   an empty folder is made, and removed again when nobody uses it
anywhere else, or at the top       a file system in memory, with everything that was there bound back
inside another volume              the folder is made in the volume
"""

import ctypes
import os
import signal
import sys
import traceback
from pathlib import Path

import pytest

from corral.engine.node.containers.ending import kill_everything, signal_program
from corral.engine.node.containers.joining import Streams, join
from corral.engine.node.containers.launch import Mount, StartRefusedError
from corral.engine.node.machine.mount_points import hold, is_marked, make, mark, remove_unused
from corral.engine.node.machine.mounts import why_no_mounts
from tests.node.containers.launching import PATIENCE, Launcher, ended, until

pytestmark = pytest.mark.skipif(why_no_mounts() != "", reason=why_no_mounts() or "mounts work")


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    folder = tmp_path / "volume"
    folder.mkdir()
    (folder / "file").write_text("of the volume\n")
    return folder


def said(launcher: Launcher, script: str, *mounts: Mount) -> str:
    run = launcher.shell(script, mounts=mounts)
    ended(run)
    return launcher.log(run)


def test_a_folder_that_exists_is_covered_for_the_container_only(
    launcher: Launcher, tmp_path: Path, volume: Path
) -> None:
    point = tmp_path / "point"
    point.mkdir()
    (point / "own").touch()

    assert said(launcher, f"ls {point}; cat {point}/file", Mount(str(volume), str(point))) == "file\nof the volume\n"
    assert os.listdir(point) == ["own"]


def test_a_path_below_a_temporary_folder_is_made_and_removed_again(
    launcher: Launcher, tmp_path: Path, volume: Path
) -> None:
    point = tmp_path / "a" / "b" / "c"

    text = said(launcher, f"cat {point}/file; echo kept > {tmp_path}/beside", Mount(str(volume), str(point)))

    assert text == "of the volume\n"
    assert not (tmp_path / "a").exists()
    assert (tmp_path / "beside").read_text() == "kept\n", "what is written beside a mount stays"


def test_a_made_folder_stays_as_long_as_anybody_uses_it(launcher: Launcher, tmp_path: Path, volume: Path) -> None:
    point = tmp_path / "shared"
    script = f"echo ready; until [ -e {tmp_path}/gate ]; do sleep 0.01; done; cat {point}/file"
    first = launcher.shell("echo ready; sleep 1000", mounts=(Mount(str(volume), str(point)),))
    second = launcher.shell(script, mounts=(Mount(str(volume), str(point)),))
    for run in (first, second):
        until(lambda run=run: "ready" in launcher.log(run))  # type: ignore[misc]

    kill_everything(first, PATIENCE)
    ended(first)
    assert point.exists()
    (tmp_path / "gate").touch()
    ended(second)

    assert launcher.log(second) == "ready\nof the volume\n"
    assert not point.exists()


@pytest.mark.parametrize(
    "path", ["/corral-test", "/corral-test/deep/er", "/etc/corral-test", "/usr/share/corral-test/data", "/opt/corral/x"]
)
def test_a_path_of_the_system_is_not_made_on_the_machine(launcher: Launcher, volume: Path, path: str) -> None:
    parent = path
    while not os.path.isdir(parent):
        parent = os.path.dirname(parent)
    before = sorted(os.listdir(parent))

    text = said(launcher, f"cat {path}/file; ls -A {parent}; echo more > {path}/new", Mount(str(volume), path))

    assert text.splitlines()[0] == "of the volume"
    assert set(before) <= set(text.splitlines()), "everything that was there is still seen"
    assert sorted(os.listdir(parent)) == before
    assert (volume / "new").read_text() == "more\n"


def test_links_files_and_nested_mounts_survive_a_replaced_folder(launcher: Launcher, volume: Path) -> None:
    script = "cat /etc/passwd /proc/self/stat > /dev/null && [ -L /proc/self ] && ls /sys > /dev/null && echo good"

    text = said(launcher, script, Mount(str(volume), "/corral-one"), Mount(str(volume), "/etc/corral-two/x"))

    assert text == "good\n"


def test_several_paths_at_the_top_share_one_replaced_root(launcher: Launcher, tmp_path: Path, volume: Path) -> None:
    mounts = [Mount(str(volume), path) for path in ("/corral-a", "/corral-b/c", "/corral-b/d", str(tmp_path / "e"))]

    text = said(launcher, f"cat /corral-a/file /corral-b/c/file /corral-b/d/file {tmp_path}/e/file", *mounts)

    assert text == "of the volume\n" * 4


def test_what_is_written_into_the_home_stays_when_the_root_is_replaced(
    launcher: Launcher, tmp_path: Path, volume: Path
) -> None:
    said(launcher, f"echo kept > {tmp_path}/result", Mount(str(volume), "/corral-test"))

    assert (tmp_path / "result").read_text() == "kept\n"


def test_a_read_only_volume_cannot_be_written(launcher: Launcher, volume: Path) -> None:
    script = "cat /corral-test/file; echo no > /corral-test/new; echo no > /corral-test/file"

    text = said(launcher, script, Mount(str(volume), "/corral-test", read_only=True))

    assert text.startswith("of the volume\n")
    assert text.count("Read-only file system") == 2
    assert os.listdir(volume) == ["file"]


def test_a_single_file_is_mounted_over_a_file_and_where_there_is_none(
    launcher: Launcher, tmp_path: Path, volume: Path
) -> None:
    (tmp_path / "there").write_text("covered\n")
    source = str(volume / "file")
    mounts = [Mount(source, str(tmp_path / name)) for name in ("there", "absent")] + [Mount(source, "/etc/corral.conf")]

    text = said(launcher, f"cat {tmp_path}/there {tmp_path}/absent /etc/corral.conf", *mounts)

    assert text == "of the volume\n" * 3
    assert (tmp_path / "there").read_text() == "covered\n"
    assert not (tmp_path / "absent").exists()
    assert not os.path.exists("/etc/corral.conf")


def test_a_file_is_not_mounted_over_a_folder(launcher: Launcher, tmp_path: Path, volume: Path) -> None:
    (tmp_path / "folder").mkdir()

    with pytest.raises(StartRefusedError, match="there is a folder"):
        said(launcher, "true", Mount(str(volume / "file"), str(tmp_path / "folder")))
    with pytest.raises(StartRefusedError, match="there is a file"):
        said(launcher, "true", Mount(str(volume), str(volume / "file")))


def test_volumes_inside_volumes_come_in_the_right_order(launcher: Launcher, tmp_path: Path, volume: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "file").write_text("inner\n")
    mounts = (Mount(str(inner), "/corral-test/sub"), Mount(str(volume), "/corral-test", read_only=True))

    text = said(launcher, "cat /corral-test/file /corral-test/sub/file; echo ok > /corral-test/sub/new", *mounts)

    assert text == "of the volume\ninner\n"
    assert (inner / "new").exists(), "only the outer one is read-only"
    assert os.listdir(volume) == ["file"]


def test_a_volume_that_covers_the_folder_of_the_run_hides_no_exit_code(launcher: Launcher, volume: Path) -> None:
    run = launcher.shell("exit 7", mounts=(Mount(str(volume), launcher.folder.root),))

    assert ended(run).exit_code == 7


def test_sources_mean_what_they_meant_before_the_first_mount(launcher: Launcher, tmp_path: Path, volume: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "file").write_text("other\n")
    mounts = (Mount(str(other), str(volume)), Mount(str(volume), "/corral-test/deep/est"))

    assert said(launcher, f"cat {volume}/file /corral-test/deep/est/file", *mounts) == "other\nof the volume\n"


def test_mounts_do_not_reach_the_machine(launcher: Launcher, tmp_path: Path, volume: Path) -> None:
    before = Path("/proc/self/mountinfo").read_text()
    run = launcher.shell("echo ready; sleep 1000", mounts=(Mount(str(volume), "/corral-test"),))
    until(lambda: "ready" in launcher.log(run))

    assert Path("/proc/self/mountinfo").read_text() == before


def test_a_made_folder_is_not_removed_when_something_was_put_into_it(tmp_path: Path) -> None:
    outer, inner = str(tmp_path / "outer"), str(tmp_path / "outer" / "inner")
    for path in (outer, inner):
        make(path, is_folder=True)
    (tmp_path / "outer" / "file").touch()

    remove_unused([outer, inner, str(tmp_path / "absent")])

    assert os.listdir(outer) == ["file"]


def test_a_held_mount_point_is_not_removed(tmp_path: Path) -> None:
    path = str(tmp_path / "point")
    make(path, is_folder=True)
    mark(path)
    child = os.fork()
    if child == 0:
        if hold(path):
            os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(1)
    os.waitpid(child, os.WUNTRACED)

    remove_unused([path])
    assert os.path.exists(path)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    remove_unused([path])

    assert not os.path.exists(path)
    assert not hold(path)
    assert not is_marked(path)


def test_users_without_privileges_get_mounts_where_the_kernel_allows(tmp_path: Path, volume: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only the superuser can become somebody else")
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        os.chmod(folder, 0o777)
    os.chmod(volume, 0o777)
    told = tmp_path / "told"
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            # Who was the superuser may not look at itself in /proc until this is said (PR_SET_DUMPABLE).
            ctypes.CDLL(None).prctl(4, 1)
            code = _as_somebody_else(tmp_path, volume, told)
        except BaseException:
            traceback.print_exc(file=told.open("w"))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0, told.read_text() if told.exists() else "it failed"


def _as_somebody_else(tmp_path: Path, volume: Path, told: Path) -> int:
    from corral.engine.node.folder import NodeFolder
    from corral.engine.node.machine import mounts

    mounts.trial.cache_clear()
    refusal = mounts.why_no_mounts()
    if refusal:
        print(f"users without privileges get no mounts here: {refusal}", file=sys.stderr)
        return 0
    launcher = Launcher(NodeFolder(str(tmp_path / "node-of-somebody")))
    script = "cat /corral-test/file; id -u; echo no > /corral-test/x; touch /corral-rw/y && ls /corral-rw/y; sleep 1000"
    run = launcher.shell(script, mounts=(Mount(str(volume), "/corral-test", True), Mount(str(volume), "/corral-rw")))
    until(lambda: "/y" in launcher.log(run))
    with open(tmp_path / "joined", "w+") as answer:
        streams = Streams(answer.fileno(), answer.fileno(), answer.fileno())
        _, status = os.waitpid(join(run.folder, ["cat", "/corral-rw/file"], streams).process.pid, 0)
        answer.seek(0)
        joined = answer.read()
    signal_program(run, signal.SIGTERM, PATIENCE)
    lines = launcher.log(run).splitlines()
    told.write_text(f"{lines} {joined} {status}")
    is_good = lines[:2] == ["of the volume", "65534"] and lines[-1] == "/corral-rw/y" and joined == "of the volume\n"
    return 0 if is_good and ended(run).exit_code == 143 else 2
