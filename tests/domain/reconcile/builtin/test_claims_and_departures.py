"""Claims become usable as soon as they exist; a node that is taken away takes its pods along."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.well_known import LEASE, NODE, POD
from corral.reconcile.builtin import node_departure, volume_claims
from corral.reconcile.plan import Delete, EmitEvent, SetStatus
from tests.domain.reconcile.builtin.builders import NOW, STAMP, pod

SIZE = {"resources": {"requests": {"storage": "2Gi"}}, "accessModes": ["ReadWriteOnce"]}


def claim(status: Object | None = None, **spec: Any) -> Object:
    metadata = {"name": "data", "namespace": "ns", "uid": "u", "resourceVersion": "1"}
    return {"metadata": metadata, "spec": {**SIZE, **spec}, "status": status or {"phase": "Pending"}}


BOUND = {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"}}


@pytest.mark.parametrize("spec", [{}, {"storageClassName": ""}, {"storageClassName": "gp3"}])
def test_a_claim_is_bound_whatever_its_class(spec: dict[str, Any]) -> None:
    (action,) = volume_claims.decide(claim(**spec))
    assert isinstance(action, SetStatus)
    assert action.status == BOUND


def test_a_bound_claim_is_left_alone_until_it_grows() -> None:
    assert not volume_claims.decide(claim(BOUND))
    grown = {"resources": {"requests": {"storage": "5Gi"}}}
    (action,) = volume_claims.decide(claim(BOUND, **grown))
    assert isinstance(action, SetStatus)
    assert action.status["capacity"] == {"storage": "5Gi"}


@pytest.mark.parametrize(
    "spec", [{"volumeMode": "Block"}, {"volumeName": "disk-7"}, {"selector": {}} | {"dataSource": {"name": "old"}}]
)
def test_what_a_folder_cannot_be_is_told_once(spec: dict[str, Any]) -> None:
    (action,) = volume_claims.decide(claim(**spec))
    assert isinstance(action, EmitEvent)
    assert (action.reason, action.repeats) == ("ProvisioningFailed", False)


def test_a_claim_that_goes_is_left_alone() -> None:
    going = claim()
    going["metadata"]["deletionTimestamp"] = STAMP
    assert not volume_claims.decide(going)


def test_pods_are_lost_before_their_node_goes() -> None:
    node: Object = {"metadata": {"name": "fake-0", "uid": "n"}}
    running = pod("running", "Running", node="fake-0", ready=True)
    running["status"]["containerStatuses"] = [{"name": "main", "state": {"running": {"startedAt": STAMP}}}]
    pods = [running, pod("done", "Succeeded", node="fake-0"), pod("going", "Running", node="fake-0", deleting=True)]
    first, second = node_departure.decide("fake-0", node, pods, NOW).stages
    lost, let_go = first
    assert isinstance(lost, SetStatus)
    assert (lost.status["phase"], lost.status["reason"]) == ("Failed", "NodeLost")
    assert lost.status["conditions"][0]["status"] == "False"
    ended = lost.status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["startedAt"], ended["finishedAt"]) == (137, STAMP, STAMP)
    assert isinstance(let_go, Delete)
    assert (let_go.resource, let_go.key.name, let_go.grace_seconds) == (POD, "going", 0)
    assert [(one.resource, one.uid) for one in second if isinstance(one, Delete)] == [(LEASE, ""), (NODE, "n")]


def test_a_pod_that_came_to_a_node_just_gone_is_lost_as_well() -> None:
    (lost,) = node_departure.decide("fake-0", None, [pod("late", node="fake-0")], NOW)
    assert isinstance(lost, SetStatus)
