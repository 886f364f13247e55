"""A pod that a scheduler took away to make room comes back by any policy: its job has not failed (invariant I7)."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.plan import Plan
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import World
from tests.domain.reconcile.plan_reading import gone, made, message_in, states_in, written
from tests.domain.reconcile.training_builders import NOW, every_pod, every_service, manifest, pod

KINDS = {"PyTorchJob": "Worker", "TFJob": "Worker", "JAXJob": "Worker", "XGBoostJob": "Master", "PaddleJob": "Worker"}
POLICIES = ("Never", "OnFailure", "Always", "ExitCode")


def taken(reason: str = "PreemptionByScheduler") -> Object:
    return {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": reason, "message": "make room"}]}


def looked(kind: str, policy: str, phase: str, **more: Any) -> Plan:
    """Returns what is done about a job one of whose pods is not well."""
    role = KINDS[kind]
    given: dict[str, Any] = {role: {"replicas": 1 if role == "Master" else 2, "restartPolicy": policy}}
    if kind == "XGBoostJob":
        given["Worker"] = {"replicas": 1, "restartPolicy": policy}
    obj = manifest(kind, **given)
    job = read_job(obj)
    hurt = pod(job, role, 0, phase, **more)
    pods = [one for one in every_pod(job) if one.name != hurt.name]
    return decide(World(job=obj, pods=[hurt, *pods], services=every_service(job)), NOW)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_one_that_has_ended_is_made_anew(kind: str, policy: str) -> None:
    plan = looked(kind, policy, "Failed", exit_code=1, **taken())
    assert "Failed" not in states_in(plan)
    assert "had to make room" in message_in(plan, "Restarting")
    assert len(gone(plan)) == 1
    assert [one["class"] for one in written(plan)["failures"]] == ["preempted"]
    assert "restarts" not in written(plan)


@pytest.mark.parametrize("phase", ["Running", "Failed"])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_one_that_is_going_is_waited_for(kind: str, policy: str, phase: str) -> None:
    plan = looked(kind, policy, phase, deleting=True, **taken())
    assert "Failed" not in states_in(plan)
    assert gone(plan) == made(plan) == []
    assert [one["class"] for one in written(plan)["failures"]] == ["preempted"]


def test_it_does_not_count_as_failed() -> None:
    counts = written(looked("PyTorchJob", "Never", "Failed", exit_code=143, **taken()))["replicaStatuses"]["Worker"]
    assert not counts.get("failed")


def test_one_that_had_done_its_work_stays_done() -> None:
    plan = looked("TFJob", "Never", "Succeeded", deleting=True, **taken())
    assert gone(plan) == []
    assert "failures" not in written(plan)


@pytest.mark.parametrize("reason", ["EvictionByEvictionAPI", "TerminationByKubelet", "DeletionByTaintManager"])
def test_what_others_did_to_a_pod_that_never_restarts_fails_the_job_as_before(reason: str) -> None:
    assert "Failed" in states_in(looked("PyTorchJob", "Never", "Failed", exit_code=143, **taken(reason)))
