"""Whoever breaks a submission off while its job is being made gets no job without its parts."""

from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.control.desk.making.submitting import submit_objects
from corral.control.desk.session import Session
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.kinds.training.pytorch import PYTORCH_JOB
from corral.ports.direct_store import DirectStore
from corral.ports.object_store import Scope
from tests.surfaces.hollow_stage import HollowStage, hollow_stage

JOB: Object = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "spec": {
        "pytorchReplicaSpecs": {
            "Master": {"replicas": 1, "template": {"spec": {"containers": [{"name": "pytorch", "image": "a"}]}}}
        }
    },
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HollowStage]:
    with hollow_stage(tmp_path_factory.mktemp("stage") / "a home") as made:
        yield made


class Impatient:
    """The store of somebody who presses Ctrl-C at the create: before the server has it, or before its answer comes."""

    def __init__(self, store: DirectStore, *, arrives: bool) -> None:
        self._store = store
        self._arrives = arrives

    def create(self, resource: ApiResource, obj: Object, *options: Any) -> Object:
        if self._arrives:
            self._store.create(resource, obj, *options)
        raise KeyboardInterrupt

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def _submitted(stage: HollowStage, name: str, *, arrives: bool, key: str = "") -> list[str]:
    """Submits a job, breaks it off, and returns which jobs there are."""
    store = cast("DirectStore", Impatient(stage.client, arrives=arrives))
    session = Session(store, "default", "a test", partial(SyncClient, stage.client.access))
    job = {**JOB, "metadata": {"name": name}}
    with pytest.raises(KeyboardInterrupt):
        submit_objects(session, PYTORCH_JOB.resource, [job], key=key)
    there = stage.client.list(PYTORCH_JOB.resource, Scope("default"))
    return [one["metadata"]["name"] for one in there if "deletionTimestamp" not in one["metadata"]]


@pytest.mark.parametrize("arrives", [True, False])
def test_a_job_whose_making_was_broken_off_is_not_there(stage: HollowStage, arrives: bool) -> None:
    assert "broken-off" not in _submitted(stage, "broken-off", arrives=arrives)


def test_a_job_with_a_key_may_be_of_an_earlier_call_and_stays(stage: HollowStage) -> None:
    assert "keyed" in _submitted(stage, "keyed", arrives=True, key="mine")
