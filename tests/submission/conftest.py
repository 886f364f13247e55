"""One machine for the lines that are tried for real: an embedded cluster whose pods are processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.submission.machine import Machine
from tests.surfaces.conftest import cli_of


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder: Path = tmp_path_factory.mktemp("machine")
    home = folder / "home"
    cli = cli_of(home)
    try:
        done = cli("up")
        assert done.returncode == 0, done.stderr
        yield Machine(cli, home)
    finally:
        cli("down")
