"""One machine for the lines that are tried for real: an embedded cluster whose pods are processes."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.submission.machine import Machine
from tests.submission.programs import put_tensorboard
from tests.surfaces.conftest import cli_of


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder: Path = tmp_path_factory.mktemp("machine")
    home = folder / "home"
    programs = folder / "bin"
    programs.mkdir()
    put_tensorboard(programs)
    # Pods have the programs of whoever starts the machine.
    path = f"{programs}:{os.environ['PATH']}"
    cli = partial(cli_of(home), PATH=path)
    try:
        done = cli("up")
        assert done.returncode == 0, done.stderr
        yield Machine(cli, home)
    finally:
        cli("down")
