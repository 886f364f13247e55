"""hostPath volumes are checked as kubelet checks them, and directories of claims are made."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.fetched import Fetched
from corral.engine.node.volumes.host_paths import ensure_host_path
from tests.node.volumes.volume_scene import Scene


def _folder(path: Path) -> None:
    path.mkdir()


def _file(path: Path) -> None:
    path.write_text("kept")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def _nothing(path: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("host_type", "make"),
    [
        ("", _folder),
        ("", _file),
        ("", _socket),
        ("Directory", _folder),
        ("DirectoryOrCreate", _folder),
        ("File", _file),
        ("FileOrCreate", _file),
        ("Socket", _socket),
    ],
)
def test_what_is_there_and_of_the_type_is_taken(tmp_path: Path, host_type: str, make: Callable[[Path], None]) -> None:
    make(tmp_path / "x")
    Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "x"), "type": host_type}}).make()


def test_devices_are_told_by_their_type(tmp_path: Path) -> None:
    ensure_host_path("/dev/null", "CharDevice")
    scene = Scene(tmp_path, {"hostPath": {"path": "/dev/null", "type": "BlockDevice"}})
    with pytest.raises(StartRefusedError, match="hostPath type check failed: /dev/null is not a block device"):
        scene.make()


@pytest.mark.parametrize(
    ("host_type", "make", "want"),
    [
        ("Directory", _nothing, "x: No such file or directory"),
        ("File", _nothing, "x: No such file or directory"),
        ("Socket", _nothing, "x: No such file or directory"),
        ("Directory", _file, "x is not a directory"),
        ("DirectoryOrCreate", _file, "x is not a directory"),
        ("File", _folder, "x is not a file"),
        ("FileOrCreate", _folder, "x is not a file"),
        ("Socket", _file, "x is not a socket"),
        ("CharDevice", _file, "x is not a character device"),
        ("Palace", _file, "hostPath type Palace is not known"),
    ],
)
def test_what_is_not_is_refused_by_path_and_word(
    tmp_path: Path, host_type: str, make: Callable[[Path], None], want: str
) -> None:
    make(tmp_path / "x")
    with pytest.raises(StartRefusedError) as refused:
        Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "x"), "type": host_type}}).make()
    assert refused.value.reason == "FailedMount"
    assert want in refused.value.message


@pytest.mark.parametrize("host_type", ["", "DirectoryOrCreate"])
def test_a_missing_folder_is_made(tmp_path: Path, host_type: str) -> None:
    Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "a" / "b"), "type": host_type}}).make()
    assert (tmp_path / "a" / "b").is_dir()


def test_a_missing_file_is_made_empty_and_its_folder_is_not(tmp_path: Path) -> None:
    Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "f"), "type": "FileOrCreate"}}).make()
    assert (tmp_path / "f").read_bytes() == b""
    with pytest.raises(StartRefusedError, match="No such file or directory"):
        Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "no" / "f"), "type": "FileOrCreate"}}).make()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_an_unreadable_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir(mode=0)
    with pytest.raises(StartRefusedError, match="x: Permission denied"):
        Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "x")}}).make()


def test_what_cannot_be_made_is_refused_with_the_word_of_the_system(tmp_path: Path) -> None:
    _file(tmp_path / "x")
    with pytest.raises(StartRefusedError, match=r"hostPath .*x.*: Not a directory"):
        Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "x" / "y")}}).make()


def test_a_link_to_nowhere_is_refused(tmp_path: Path) -> None:
    os.symlink(tmp_path / "nowhere", tmp_path / "x")
    with pytest.raises(StartRefusedError, match="No such file or directory"):
        Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "x")}}).make()


def test_a_claim_has_a_directory_that_stays(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"persistentVolumeClaim": {"claimName": "c"}})
    fetched = Fetched(claims={"c": {"metadata": {"name": "c"}, "spec": {}}})
    scene.make(fetched)
    source = scene.mounts(fetched)[0].source
    assert source == scene.folder.claim("team", "c")
    Path(source, "checkpoint").write_text("kept")
    scene.make(fetched)
    assert Path(source, "checkpoint").read_text() == "kept"


def test_a_local_volume_that_is_missing_is_not_made(tmp_path: Path) -> None:
    bound = {"metadata": {"name": "pv"}, "spec": {"local": {"path": str(tmp_path / "disk")}}}
    claim = {"metadata": {"name": "c"}, "spec": {"volumeName": "pv"}}
    scene = Scene(tmp_path, {"persistentVolumeClaim": {"claimName": "c"}})
    with pytest.raises(StartRefusedError, match="disk: No such file or directory"):
        scene.make(Fetched(claims={"c": claim}, persistent_volumes={"pv": bound}))
    assert not (tmp_path / "disk").exists()


def test_an_empty_directory_is_made_and_keeps_what_is_in_it(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}})
    scene.make()
    (scene.path / "x").write_text("kept")
    assert scene.make() == ()
    assert (scene.path / "x").read_text() == "kept"
