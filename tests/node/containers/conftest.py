"""A node folder for each test; whatever a test started in it is ended afterwards, by its records."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.engine.node.containers.clearing import end_all
from corral.engine.node.folder import NodeFolder
from tests.node.containers.launching import Launcher


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    folder = NodeFolder(str(tmp_path / "node"))
    yield Launcher(folder)
    end_all(folder, 0.0)
