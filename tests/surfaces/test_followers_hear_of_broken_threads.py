"""Whoever follows a job learns when a thread that listens for it died of a fault of ours, instead of waiting for it."""

from collections.abc import Iterator
from itertools import count

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.control.desk.logs.following import Following
from corral.control.desk.logs.sources import Choice
from corral.control.desk.naming.finding import Found
from corral.control.desk.session import Session
from corral.kinds.references import ObjectKey
from corral.kinds.training.pytorch import PYTORCH_JOB
from corral.ports.direct_store import DirectStore
from corral.testing.hollow_node import Part
from tests.surfaces.hollow_stage import HollowStage, hollow_stage


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        yield made


@pytest.mark.parametrize("breaks_at", [0, 1, 2], ids=["the pods", "the job", "a reader"])
def test_a_thread_that_breaks_is_heard_of(stage: HollowStage, breaks_at: int) -> None:
    name = f"broken-{breaks_at}"
    stage.submit(name, workers=0, master=Part(lines=("one",)))
    assert stage.cli("wait", name, "--timeout", "60s").returncode == 0
    job = Found(PYTORCH_JOB.resource, stage.client.get(PYTORCH_JOB.resource, ObjectKey("default", name)))
    numbers = count()

    def open_store() -> DirectStore:
        if next(numbers) == breaks_at:
            raise LookupError("nobody expected this")
        return SyncClient(stage.client.access)

    session = Session(stage.client, "default", "a test", open_store)
    with pytest.raises(LookupError, match="nobody expected this"):
        list(Following(session, job, Choice()).events())
