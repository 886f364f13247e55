"""A status may be older than this operator, or another one's: what it says about the end must never be lost."""

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.status import JobStatus
from corral.reconcile.plan import Create, EmitEvent, SetStatus
from corral.reconcile.training.decision import decide
from corral.reconcile.training.told_before import UnreadableStatusError, status_of
from corral.reconcile.training.world import World
from tests.domain.reconcile.training_builders import manifest

DONE = {"type": "Succeeded", "status": "True", "lastUpdateTime": None, "lastTransitionTime": None}


def job(status: Object) -> World:
    return World({**manifest("PyTorchJob", Master=1, Worker=2), "status": status})


@pytest.mark.parametrize("obj", [{}, {"status": None}, {"status": {"conditions": None, "replicaStatuses": None}}])
def test_nothing_said_is_an_empty_status(obj: Object) -> None:
    assert status_of(obj) == JobStatus()


OLD: dict[str, Object] = {
    "nulls": {"conditions": [DONE], "replicaStatuses": None, "startTime": None},
    "another shape of counts": {"conditions": [DONE], "replicaStatuses": {"Worker": {"active": "two"}}},
    "fields of a later release": {"conditions": [DONE], "failures": {"many": 3}, "novelty": [1]},
}


@pytest.mark.parametrize("status", OLD.values(), ids=OLD)
def test_a_finished_job_is_never_run_again(status: Object) -> None:
    """Invariant T3: whatever else its status says."""
    actions = list(decide(job(status), 1_000_000.0))
    assert not [action for action in actions if isinstance(action, Create | SetStatus)]


def test_what_can_be_read_is_kept() -> None:
    status = status_of({"status": {"restarts": 3, "progress": "half", "conditions": [DONE]}})
    assert (status.restarts, status.progress, status.conditions[0].type) == (3, None, "Succeeded")


def test_a_job_whose_conditions_cannot_be_read_is_left_alone_and_told() -> None:
    with pytest.raises(UnreadableStatusError):
        status_of({"status": {"conditions": "many"}})
    (event,) = decide(job({"conditions": "many"}), 1_000_000.0)
    assert isinstance(event, EmitEvent)
    assert event.reason == "PyTorchJobFailedValidation"
    assert not event.repeats
