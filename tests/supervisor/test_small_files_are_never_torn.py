"""A disk that becomes full in the midst of a small file leaves the old file, whole, and no draft of the new one."""

import errno
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corral.engine.small_files import note, write_private

ROOM = 10


@contextmanager
def little_room() -> Iterator[None]:
    """Lets files of this process be so many bytes at most: what fits is taken, the rest is refused, as on a full disk.

    Not longer than one write takes: what is said about the tests may go into a file as well.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("write", [note, write_private])
def test_what_does_not_fit_changes_nothing(write: Callable[[str, str], None], tmp_path: Path) -> None:
    path = tmp_path / "record"
    write(str(path), "old")
    with pytest.raises(OSError, match="too large") as caught, little_room():
        write(str(path), "x" * (ROOM + 1))
    assert caught.value.errno == errno.EFBIG
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
