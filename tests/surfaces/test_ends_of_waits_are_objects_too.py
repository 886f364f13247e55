"""Who waits for a job with `-o json` is told of a bad end by an object, as of every other error."""

import json
from collections.abc import Iterator

import pytest

from corral.testing.hollow_node import Part
from tests.surfaces.hollow_stage import HollowStage, hollow_stage


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        yield made


def test_a_job_that_fails_while_it_is_waited_for(stage: HollowStage) -> None:
    stage.submit("bad", workers=0, master=Part(exit_codes=(1,)))
    assert stage.cli("wait", "bad", "--timeout", "60s").returncode == 1
    done = stage.cli("resubmit", "bad", "--name", "again", "--wait", "-o", "json")
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert (done.returncode, error["code"]) == (1, "job-failed")
    assert error["hint"].endswith("`corral why again` tells more")
