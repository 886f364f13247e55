import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.node.logs.run_of_lines import RunOfLines

MEMORY_DISK = "/dev/shm"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def run(tmp_path: Path) -> RunOfLines:
    return RunOfLines(tmp_path)


@pytest.fixture(params=["disk", "memory"])
def run_on(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunOfLines]:
    """A log on the file system of temporary files, and one in memory."""
    if request.param == "disk":
        yield RunOfLines(tmp_path)
        return
    if not os.path.isdir(MEMORY_DISK):
        pytest.skip(f"{MEMORY_DISK} is not there")
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK, prefix="corral-logs-") as folder:
        yield RunOfLines(Path(folder))
