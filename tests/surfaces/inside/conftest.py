"""One machine with one job of real processes, for all tests of what is done inside of jobs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.conftest import cli_of
from tests.surfaces.inside.process_stage import ProcessStage, sleeping_job


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessStage]:
    """`corral up` with the job `digits`: a master and two workers that do nothing."""
    home: Path = tmp_path_factory.mktemp("inside") / "a home"
    cli = cli_of(home)
    try:
        assert cli("up").returncode == 0
        stage = ProcessStage(cli, home)
        stage.apply(json.dumps(sleeping_job("digits", workers=2)))
        stage.wait_for_pods("digits", 3)
        yield stage
    finally:
        cli("down")
