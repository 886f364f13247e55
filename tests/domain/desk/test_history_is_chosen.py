"""What `corral prune` may delete, and what `corral data list` tells about claims."""

from typing import Any

import pytest

from corral.control.desk.changing.pruning import ended_before
from corral.control.desk.cluster.identities import Identity
from corral.control.desk.cluster.volumes import is_ready, volume_of
from corral.control.desk.naming.finding import Found
from corral.kinds.references import ApiResource
from corral.reconcile.moments import seconds_of

PYTORCH = ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")
OLD, LATER = "2027-01-01T00:00:00Z", "2027-01-10T00:00:00Z"
BETWEEN = seconds_of("2027-01-05T00:00:00Z") or 0.0


def job(*held: str, ended: str = "", deleted: bool = False) -> Found:
    metadata: dict[str, Any] = {"name": "digits", "creationTimestamp": OLD}
    if deleted:
        metadata["deletionTimestamp"] = LATER
    conditions = [{"type": one, "status": "True", "lastTransitionTime": ended or OLD} for one in held]
    return Found(
        PYTORCH, {"metadata": metadata, "spec": {}, "status": {"conditions": conditions, "completionTime": ended}}
    )


@pytest.mark.parametrize(
    ("one", "goes"),
    [
        (job("Succeeded", ended=OLD), True),
        (job("Failed"), True),
        (job("Succeeded", ended=LATER), False),
        (job("Created"), False),
        (job("Created", "Running"), False),
        (job("Suspended"), False),
        (job(), False),
        (job("Succeeded", ended=OLD, deleted=True), False),
    ],
)
def test_only_jobs_that_have_ended_long_ago_are_history(one: Found, goes: bool) -> None:
    assert (ended_before([one], BETWEEN) == [one]) is goes


def test_a_claim_is_told_with_its_annotations() -> None:
    claim = {
        "metadata": {"name": "images", "namespace": "team", "annotations": {"description": "digits", "owner": "jane"}},
        "spec": {"accessModes": ["ReadWriteMany", "ReadWriteOnce", "ReadWriteMany"], "storageClassName": "fast"},
        "status": {"phase": "Bound", "capacity": {"storage": "10Gi"}},
    }
    volume = volume_of(claim)
    assert volume[:5] == ("team", "images", ("ReadWriteOnce", "ReadWriteMany"), "digits", "jane")
    assert (volume.capacity, volume.storage_class) == ("10Gi", "fast")
    assert is_ready(claim)
    assert not is_ready({"metadata": {}, "status": {"phase": "Pending"}})
    assert not is_ready({"metadata": {"deletionTimestamp": LATER}, "status": {"phase": "Bound"}})


def test_a_user_has_the_id_that_arena_gives() -> None:
    me = Identity("kubernetes-admin", True)
    assert me.document() == {"Name": "kubernetes-admin", "Id": "e16c40557a88702ed3185af342a7429e", "IsAdminUser": True}
