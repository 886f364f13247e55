"""A home whose node has a disk of its own, of two MiB, in memory."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.node.ground import EmbeddedGround

SIZE = "2m"
_BLOCK = b"\0" * 4096


@contextmanager
def small_disk_machine() -> Iterator[EmbeddedGround]:
    """Yields `corral up` in a private home with a small disk below the folder of the node; skips where none can be mounted."""
    root = Path(tempfile.mkdtemp(prefix="corral-home-"))
    disk = root / "home" / "node"
    disk.mkdir(parents=True, mode=0o700)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(disk)], capture_output=True)
    if done.returncode:
        shutil.rmtree(root)
        pytest.skip(f"a disk of its own cannot be mounted: {done.stderr.decode().strip()}")
    try:
        ground = EmbeddedGround(root / "home")
        try:
            yield ground
        finally:
            ground.down()
    finally:
        subprocess.run(["umount", str(disk)], check=True)
        shutil.rmtree(root)


def fill(folder: Path) -> Path:
    """Fills the disk below a folder to the last byte; returns the file to remove."""
    path = folder / "fill"
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(_BLOCK)
        except OSError:
            assert os.statvfs(folder).f_bavail == 0
    return path
