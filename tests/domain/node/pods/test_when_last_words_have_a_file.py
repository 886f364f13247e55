"""A run sees a file for its last words when it may use it; all others start without mounts."""

import os
from pathlib import Path

import pytest

from corral.engine.node.containers.launch import Mount
from corral.engine.node.containers.termination_message import (
    DEFAULT_PATH,
    MOST_BYTES,
    make_message_file,
    message_file,
    message_mount,
    message_of,
)

DATA = Mount("/somewhere", "/data")

CASES: dict[str, tuple[str, tuple[Mount, ...], tuple[str, ...], str]] = {
    "the default path that nobody names": (DEFAULT_PATH, (), ("python", "train.py"), ""),
    "no path at all": ("", (), ("python", "train.py"), ""),
    "the default path in the command": (DEFAULT_PATH, (), ("sh", "-c", f"echo > {DEFAULT_PATH}"), DEFAULT_PATH),
    "the default path beside other mounts": (DEFAULT_PATH, (DATA,), ("python",), ""),
    "a path of its own": ("/run/words", (), ("python",), "/run/words"),
    "a path that is not clean": ("run//words", (), ("python",), "/run/words"),
    "a path that a volume has already": ("/data", (DATA,), ("python",), ""),
    "the root": ("/", (DATA,), ("python",), ""),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_is_mounted_for_those_who_may_use_it(case: str) -> None:
    path, mounts, texts, want = CASES[case]
    found = message_mount({"name": "main", "terminationMessagePath": path}, "/run/folder", mounts, texts)
    assert (found.path if found else "") == want


def test_the_end_of_what_was_written_is_told(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    assert message_of(folder) == ""
    make_message_file(Mount(message_file(folder), "/run/words"))
    assert message_of(folder) == ""
    Path(message_file(folder)).write_bytes(b"x" * MOST_BYTES + b"last \xff words")
    assert len(message_of(folder)) == MOST_BYTES
    assert message_of(folder).endswith("last � words")


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_only_a_file_is_read(tmp_path: Path, kind: str) -> None:
    path, secret = message_file(str(tmp_path)), tmp_path / "secret"
    secret.write_text("of somebody else")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        os.symlink(secret, path)
    else:
        os.mkdir(path)
    assert message_of(str(tmp_path)) == ""
