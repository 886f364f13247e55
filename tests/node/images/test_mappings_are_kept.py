"""The file of mappings: written whole, read when it is another one, by several processes at once."""

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.images.mapping import ImageMapping
from corral.engine.node.images.register import ImageRegister

A = ImageMapping(pattern="a", command=("x", "y z"), env={"N": "V"}, python="/p/bin/python", environment="/p")
B = ImageMapping(pattern="b", workdir="/w")


def register(folder: Path) -> ImageRegister:
    return ImageRegister(str(folder / "node" / "images.json"))


def test_without_a_file_nothing_is_mapped_and_nothing_is_made(tmp_path: Path) -> None:
    assert register(tmp_path).mappings() == ()
    assert os.listdir(tmp_path) == []


def test_mappings_are_kept_in_their_order_for_the_user_alone(tmp_path: Path) -> None:
    assert not register(tmp_path).put(A)
    assert not register(tmp_path).put(B)
    assert register(tmp_path).mappings() == (A, B)
    assert stat.S_IMODE(os.stat(tmp_path / "node" / "images.json").st_mode) == 0o600


def test_the_same_pattern_is_replaced_and_becomes_the_latest(tmp_path: Path) -> None:
    kept, again = register(tmp_path), ImageMapping(pattern="a", command=("new",))
    kept.put(A)
    kept.put(B)
    assert kept.put(again)
    assert kept.mappings() == (B, again)


def test_a_mapping_can_be_dropped_once(tmp_path: Path) -> None:
    kept = register(tmp_path)
    kept.put(A)
    assert kept.drop("a")
    assert not kept.drop("a")
    assert kept.mappings() == ()


def test_what_another_process_wrote_is_seen_and_an_old_file_is_not_read_again(tmp_path: Path) -> None:
    reader, writer = register(tmp_path), register(tmp_path)
    writer.put(A)
    first = reader.mappings()
    assert reader.mappings() is first
    writer.put(B)
    assert reader.mappings() == (A, B)
    os.unlink(reader.path)
    assert reader.mappings() == ()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"mappings": [{"command": "x"}]}', '{"mappings": [{"pattern": 7}]}'])
def test_a_file_that_makes_no_sense_is_refused_by_path(tmp_path: Path, text: str) -> None:
    kept = register(tmp_path)
    os.makedirs(tmp_path / "node")
    Path(kept.path).write_text(text)
    with pytest.raises(StartRefusedError, match=r"cannot be read from .*images\.json"):
        kept.mappings()
    with pytest.raises(StartRefusedError):
        kept.put(A)
    assert Path(kept.path).read_text() == text


def test_fields_of_a_later_release_are_passed_over(tmp_path: Path) -> None:
    kept = register(tmp_path)
    os.makedirs(tmp_path / "node")
    Path(kept.path).write_text(json.dumps({"mappings": [{"pattern": "b", "workdir": "/w", "new": 1}], "more": 2}))
    assert kept.mappings() == (B,)


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    def write(number: int) -> None:
        register(tmp_path).put(ImageMapping(pattern=f"p{number}", workdir="/w"))

    writers = [threading.Thread(target=write, args=(number,)) for number in range(12)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert {one.pattern for one in register(tmp_path).mappings()} == {f"p{number}" for number in range(12)}
