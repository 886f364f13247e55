"""What belonged to the pod alone goes, without a step outside; paths of the machine and claims stay."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from corral.engine.node.fetched import Fetched
from corral.engine.node.pods.storage_limits import taken_bytes
from corral.engine.node.volumes.removal import remove, remove_claim
from corral.errors import RetryError
from tests.node.volumes.volume_scene import Scene, config


def test_volumes_and_copies_go(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"configMap": {"name": "c"}}, {"subPath": "a"})
    scene.make(config(a="1"))
    scene.mounts()
    remove(scene.folder, "u")
    assert not os.path.exists(scene.folder.pod("u"))
    remove(scene.folder, "u")


def test_folders_that_are_nested_deeply_go_as_well(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"emptyDir": {}})
    scene.make()
    script = 'import os\nfor _ in range(3000):\n    os.mkdir("a")\n    os.chdir("a")'
    subprocess.run([sys.executable, "-c", script], cwd=scene.path, check=True)
    assert taken_bytes(str(scene.path)) > 0
    remove(scene.folder, "u")
    assert not scene.path.exists()


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "x").write_text("kept")
    scene = Scene(tmp_path, {"emptyDir": {}})
    scene.make()
    os.symlink(tmp_path / "precious", scene.path / "way")
    remove(scene.folder, "u")
    assert (tmp_path / "precious" / "x").read_text() == "kept"
    assert not scene.path.exists()


def test_a_folder_of_volumes_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    scene = Scene(tmp_path, {"emptyDir": {}})
    os.makedirs(scene.folder.pod("u"))
    os.symlink(tmp_path / "precious", scene.path.parent)
    remove(scene.folder, "u")
    assert (tmp_path / "precious").is_dir()


def test_paths_of_the_machine_and_claims_stay(tmp_path: Path) -> None:
    fetched = Fetched(claims={"c": {"metadata": {"name": "c"}, "spec": {}}})
    for volume in ({"hostPath": {"path": str(tmp_path / "host")}}, {"persistentVolumeClaim": {"claimName": "c"}}):
        scene = Scene(tmp_path, volume)
        scene.make(fetched)
        source = Path(scene.mounts(fetched)[0].source)
        (source / "x").write_text("kept")
        remove(scene.folder, "u")
        assert (source / "x").read_text() == "kept"


def test_folders_that_a_container_closed_to_writing_go_as_well(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"emptyDir": {}})
    scene.make()
    (scene.path / "a" / "b").mkdir(parents=True)
    (scene.path / "a" / "b" / "x").write_text("")
    (scene.path / "a" / "b").chmod(0)
    (scene.path / "a").chmod(0o500)
    remove(scene.folder, "u")
    assert not scene.path.exists()


def test_the_directory_of_a_claim_goes_with_the_claim_alone(tmp_path: Path) -> None:
    fetched = Fetched(claims={"c": {"metadata": {"name": "c"}, "spec": {}}})
    scene = Scene(tmp_path, {"persistentVolumeClaim": {"claimName": "c"}})
    scene.make(fetched)
    other = Path(scene.folder.claim("team", "other"))
    other.mkdir()
    remove_claim(scene.folder, "team", "c")
    remove_claim(scene.folder, "team", "c")
    assert not os.path.exists(scene.folder.claim("team", "c"))
    assert other.is_dir()
    with pytest.raises(ValueError, match="is no name of a claim"):
        remove_claim(scene.folder, "team", "..")


@pytest.mark.parametrize("uid", ["", ".", "..", "a/b", "/etc"])
def test_what_is_no_uid_removes_nothing(tmp_path: Path, uid: str) -> None:
    scene = Scene(tmp_path, {"emptyDir": {}})
    scene.make()
    with pytest.raises(ValueError, match="is no uid of a pod"):
        remove(scene.folder, uid)
    assert scene.path.is_dir()


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("mount") is None, reason="needs the right to mount")
def test_while_something_is_mounted_in_a_volume_it_stays(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "x").write_text("kept")
    scene = Scene(tmp_path, {"emptyDir": {}})
    scene.make()
    point = scene.path / "a point"
    point.mkdir()
    if subprocess.run(["mount", "--bind", tmp_path / "precious", point], capture_output=True).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        with pytest.raises(RetryError, match=r"cannot be removed while .*a point is mounted"):
            remove(scene.folder, "u")
    finally:
        subprocess.run(["umount", point], check=True)
    assert (tmp_path / "precious" / "x").read_text() == "kept"
    remove(scene.folder, "u")
    assert not scene.path.exists()
