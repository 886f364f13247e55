"""The stage itself stands: both servers take jobs of every kind."""

import pytest

from tests.training.manifests import EVERY_KIND
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_job_gets_pods(stage: Stage, kind: str) -> None:
    job = stage.submit(kind)
    stage.wait(job.pods, lambda seen: len(seen) == 2)
