"""subPath and subPathExpr: a part of a volume is made when it is missing, and never lies outside of the volume."""

import os
from pathlib import Path

import pytest

from corral.engine.node.containers.launch import StartRefusedError
from tests.node.volumes.volume_scene import Scene, config


def refused(scene: Scene) -> str:
    with pytest.raises(StartRefusedError) as refusal:
        scene.mounts()
    assert refusal.value.reason == "CreateContainerConfigError"
    return refusal.value.message


def test_a_missing_part_is_made_as_a_folder(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"emptyDir": {}}, {"subPath": "a/b"}, {"subPathExpr": "$(RANK)/x", "mountPath": "/n"})
    scene.make()
    first, second = scene.mounts(values={"RANK": "3"})
    assert (first.source, second.source) == (str(scene.path / "a" / "b"), str(scene.path / "3" / "x"))
    assert os.path.isdir(first.source)
    assert os.path.isdir(second.source)


def test_a_part_that_is_a_file_is_the_file(tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "data.csv").write_text("1,2")
    scene = Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "host")}}, {"subPath": "data.csv"})
    scene.make()
    assert scene.mounts()[0].source == str(tmp_path / "host" / "data.csv")


@pytest.mark.parametrize("target", ["/etc", "..", "../../..", "/"])
def test_a_link_that_leads_out_is_refused(tmp_path: Path, target: str) -> None:
    scene = Scene(tmp_path, {"emptyDir": {}}, {"subPath": "way/passwd"})
    scene.make()
    os.symlink(target, scene.path / "way")
    assert "leads out of the volume" in refused(scene)


def test_a_link_to_nowhere_outside_is_refused_and_makes_nothing(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"emptyDir": {}}, {"subPath": "way"})
    scene.make()
    os.symlink(tmp_path / "outside", scene.path / "way")
    assert "leads out of the volume" in refused(scene)
    assert not (tmp_path / "outside").exists()


def test_a_volume_whose_name_begins_like_another_is_not_inside_it(tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    (tmp_path / "host-secret").mkdir()
    os.symlink(tmp_path / "host-secret", tmp_path / "host" / "way")
    scene = Scene(tmp_path, {"hostPath": {"path": str(tmp_path / "host")}}, {"subPath": "way"})
    scene.make()
    assert "leads out of the volume" in refused(scene)


def test_a_link_that_stays_inside_is_followed(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"emptyDir": {}}, {"subPath": "latest/x"})
    scene.make()
    (scene.path / "run-1").mkdir()
    os.symlink("run-1", scene.path / "latest")
    assert scene.mounts()[0].source == str(scene.path / "run-1" / "x")


def test_links_in_a_circle_are_refused_with_the_word_of_the_system(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"emptyDir": {}}, {"subPath": "a/x"})
    scene.make()
    os.symlink("b", scene.path / "a")
    os.symlink("a", scene.path / "b")
    assert "symbolic links" in refused(scene)


def test_a_file_in_the_way_is_refused_by_path(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"emptyDir": {}}, {"subPath": "f/x"})
    scene.make()
    (scene.path / "f").write_text("")
    assert "f/x: Not a directory" in refused(scene)


def test_a_part_of_a_config_map_is_a_copy_until_the_next_start(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"configMap": {"name": "c"}}, {"subPath": "app.conf"})
    scene.make(config(app_conf="1"))
    source = Path(scene.mounts()[0].source)
    scene.make(config(app_conf="2"))
    assert source.read_text() == "1"
    assert scene.mounts()[0].source == str(source)
    assert source.read_text() == "2"


def test_a_folder_of_a_projected_volume_is_copied_whole(tmp_path: Path) -> None:
    sources = [{"configMap": {"name": "c", "items": [{"key": "a", "path": "x/a"}, {"key": "b", "path": "x/y/b"}]}}]
    scene = Scene(tmp_path, {"projected": {"sources": sources}}, {"subPath": "x"})
    scene.make(config(a="1", b="2"))
    source = Path(scene.mounts()[0].source)
    assert ((source / "a").read_text(), (source / "y" / "b").read_text()) == ("1", "2")


def test_a_missing_part_of_a_config_map_is_an_empty_folder_as_on_a_cluster(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"configMap": {"name": "c"}}, {"subPath": "gone"})
    scene.make(config(a="1"))
    assert os.listdir(scene.mounts()[0].source) == []
    assert scene.files() == {"a": b"1"}


def test_a_part_named_like_the_inner_folders_does_not_lead_to_them(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"configMap": {"name": "c"}}, {"subPath": "."})
    scene.make(config(a="1"))
    assert scene.mounts()[0].source == str(scene.path)
