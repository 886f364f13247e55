"""Volumes made of ConfigMaps and Secrets: complete at every moment, renewed when the object changes, private."""

import os
import stat
import threading
from pathlib import Path

import pytest

from corral.engine.node.fetched import Fetched
from tests.node.volumes.volume_scene import Scene, config

VOLUME = {"configMap": {"name": "c"}}


def _read_in(folder: int, name: str) -> bytes:
    handle = os.open(name, os.O_RDONLY, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _read_both(path: Path) -> tuple[bytes, bytes]:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return _read_in(folder, "a"), _read_in(folder, "b")
    finally:
        os.close(folder)


def test_a_config_map_is_files_behind_links(tmp_path: Path) -> None:
    scene = Scene(tmp_path, VOLUME)
    assert scene.make(config(a_txt="1", b="2")) == ("v",)
    assert scene.files() == {"a.txt": b"1", "b": b"2"}
    assert os.readlink(scene.path / "a.txt") == "..data/a.txt"
    assert (scene.path / os.readlink(scene.path / "..data")).is_dir()


@pytest.mark.timeout(30)
def test_a_pipe_in_place_of_a_file_is_replaced_and_waited_for_by_nobody(tmp_path: Path) -> None:
    scene = Scene(tmp_path, VOLUME)
    scene.make(config(a="1"))
    place = (scene.path / "a").resolve()
    place.unlink()
    os.mkfifo(place)
    assert scene.make(config(a="1")) == ("v",)
    assert scene.files() == {"a": b"1"}


def test_an_unchanged_config_map_is_not_written_again(tmp_path: Path) -> None:
    scene = Scene(tmp_path, VOLUME)
    scene.make(config(a="1"))
    before = os.readlink(scene.path / "..data")
    assert scene.make(config(a="1")) == ()
    assert os.readlink(scene.path / "..data") == before


def test_a_changed_config_map_is_renewed_and_leaves_nothing_behind(tmp_path: Path) -> None:
    scene = Scene(tmp_path, VOLUME)
    scene.make(config(a="1", gone="x"))
    assert scene.make(config(a="2", new="y")) == ("v",)
    assert scene.files() == {"a": b"2", "new": b"y"}
    assert len([name for name in os.listdir(scene.path) if name.startswith("..")]) == 2


def test_a_reader_sees_all_of_the_old_or_all_of_the_new(tmp_path: Path) -> None:
    """The two files always say the same; a reader that opens both through `..data` at once never sees a mixture."""
    scene = Scene(tmp_path, VOLUME)
    scene.make(config(a="0", b="0"))
    mixtures: list[tuple[bytes, bytes]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            try:
                one, other = _read_both(scene.path / "..data")
            except FileNotFoundError:
                continue  # what the link named has been replaced and removed since: a reader tries again
            if one != other:
                mixtures.append((one, other))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(1, 100):
        scene.make(config(a=str(number), b=str(number)))
    done.set()
    reader.join()
    assert mixtures == []


def test_a_write_that_was_cut_short_is_repaired(tmp_path: Path) -> None:
    scene = Scene(tmp_path, VOLUME)
    scene.make(config(a="1"))
    (scene.path / "..half").mkdir()
    (scene.path / "..half" / "a").write_text("no")
    os.symlink("..half", scene.path / "..data_tmp")
    os.unlink(scene.path / "a")
    scene.make(config(a="1"))
    assert scene.files() == {"a": b"1"}
    assert not os.path.lexists(scene.path / "..data_tmp")
    assert not (scene.path / "..half").exists()


def test_what_a_process_changed_is_put_right(tmp_path: Path) -> None:
    scene = Scene(tmp_path, VOLUME)
    scene.make(config(a="1"))
    (scene.path / "a").write_text("tampered")
    assert scene.make(config(a="1")) == ("v",)
    assert scene.files() == {"a": b"1"}


def test_modes_are_as_asked_for_and_the_folder_is_private(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        scene = Scene(tmp_path, {"secret": {"secretName": "s", "defaultMode": 0o440}})
        scene.make(Fetched(secrets={"s": {"data": {"key": "c2VjcmV0"}}}))
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(scene.path / "key").st_mode) == 0o440
    assert stat.S_IMODE(os.stat(scene.path).st_mode) == 0o700
    assert scene.make(Fetched(secrets={"s": {"data": {"key": "c2VjcmV0"}}})) == ()


def test_an_optional_config_map_that_is_missing_is_an_empty_folder_until_it_comes(tmp_path: Path) -> None:
    scene = Scene(tmp_path, {"configMap": {"name": "c", "optional": True}})
    scene.make()
    assert scene.path.is_dir()
    assert scene.files() == {}
    assert scene.make(config(late="1")) == ("v",)
    assert scene.files() == {"late": b"1"}


def test_paths_of_items_may_be_deep(tmp_path: Path) -> None:
    items = [{"key": "a", "path": "x/y/a"}, {"key": "b", "path": "x/b"}]
    scene = Scene(tmp_path, {"configMap": {"name": "c", "items": items}})
    scene.make(config(a="1", b="2"))
    assert scene.files() == {"x/y/a": b"1", "x/b": b"2"}


def test_bytes_and_large_values_are_kept(tmp_path: Path) -> None:
    scene = Scene(tmp_path, VOLUME)
    scene.make(Fetched({"c": {"data": {"big": "é" * 500_000}, "binaryData": {"bin": "AP+A"}}}))
    assert scene.files() == {"big": ("é" * 500_000).encode(), "bin": b"\x00\xff\x80"}


def test_translated_texts_are_written_and_the_object_stays(tmp_path: Path) -> None:
    scene, fetched = Scene(tmp_path, VOLUME), config(hosts="ps-0:2222")
    scene.make(fetched, translate=lambda text: text.replace("ps-0:2222", "127.0.0.1:21000"))
    assert scene.files() == {"hosts": b"127.0.0.1:21000"}
    assert fetched.config_maps["c"]["data"] == {"hosts": "ps-0:2222"}


def test_labels_that_change_are_renewed(tmp_path: Path) -> None:
    items = [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]
    scene = Scene(tmp_path, {"downwardAPI": {"items": items}})
    scene.make()
    scene.pod["metadata"]["labels"]["a"] = "2"
    assert scene.make() == ("v",)
    assert scene.files() == {"labels": b'a="2"'}
