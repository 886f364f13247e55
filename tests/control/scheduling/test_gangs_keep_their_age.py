"""What a gang says about giving way, what is remembered of it, and that it never starts again by halves."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from corral.control.scheduling.board import Board
from corral.control.scheduling.desk import Claim, Seated
from corral.errors import PermanentError
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.scheduling.concession import Concession, JobName, Leaver, Past, Verb
from corral.kinds.scheduling.ledger import Ledger, ledger_of, object_of
from corral.kinds.scheduling.names import CHECKPOINTS, GANG, GANG_MOST, GANG_SIZE, PREEMPTIBLE
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.kinds.training.label_names import REPLICA_INDEX, REPLICA_TYPE
from tests.control.scheduling.scene import NOW, board, bound, changed, decide, node, placed, pod, told

OWNER = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "train", "uid": "uid-train", "controller": True}


def worker(
    index: int, marks: Mapping[str, str] = MappingProxyType({}), *, size: int = 2, life: int = 0
) -> SchedulingPod:
    """Returns a worker of the job `train`, as the operator makes it."""
    name = f"train-worker-{index}"
    metadata: dict[str, Any] = {
        "labels": {GANG: "train", REPLICA_TYPE: "worker", REPLICA_INDEX: str(index)},
        "annotations": {GANG_SIZE: str(size), **marks},
        "ownerReferences": [OWNER],
        "uid": f"uid-{name}-{life}",
    }
    return pod(name, 1, metadata=metadata)


def claim_of(of: Board, gang: str = "ns/train") -> Claim:
    found = of.crowd.claim(gang)
    assert found is not None
    return found


def seated_of(of: Board, gang: str = "ns/train") -> Seated:
    found = of.crowd.seated(gang)
    assert found is not None
    return found


def test_a_gang_says_how_it_may_be_treated() -> None:
    marks = {GANG_MOST: "4", CHECKPOINTS: "true", PREEMPTIBLE: "false"}
    claim = claim_of(board([], [worker(index, marks) for index in range(2)]))
    assert (claim.most, claim.checkpoints, claim.is_preemptible, claim.evictions) == (4, True, False, 0)
    plain = claim_of(board([], [worker(0), worker(1)]))
    assert (plain.most, plain.checkpoints, plain.is_preemptible) == (0, False, True)


def test_what_nobody_makes_anew_is_never_moved() -> None:
    alone = pod("alone", 1, metadata={"annotations": {CHECKPOINTS: "true"}})
    assert not claim_of(board([], [alone]), "uid-alone").checkpoints


@pytest.mark.parametrize("said", ["many", "0", "6000", "-1"])
def test_a_most_that_is_no_number_is_told(said: str) -> None:
    there = board([node("a", 4)], [worker(0, size=1, marks={GANG_MOST: said})])
    assert placed(there) == {}
    assert told(there)["train-worker-0"].startswith(f"{GANG_MOST} is {said!r}, not a whole number")


def test_a_gang_that_may_shrink_keeps_its_least_and_gives_up_the_last_workers_first() -> None:
    pods = [worker(index, {GANG_MOST: "4"}, size=1) for index in (2, 0, 1)]
    there = board([node("a", 4)], pods)
    assert len(placed(there)) == 3
    seated = seated_of(there)
    assert seated.claim.gang.minimum == 1
    assert [one.uid for one in seated.claim.gang.members] == [f"uid-train-worker-{index}-0" for index in range(3)]


def test_a_gang_that_had_to_give_way_is_as_old_as_it_was() -> None:
    there = board([], [])
    there.crowd.put_past(Past("ns/train", "uid-train", NOW - 5000, 2, NOW))
    for index in range(2):
        there.take_pod(None, changed(worker(index), metadata={"creationTimestamp": "2027-01-15T08:00:00Z"}), NOW)
    assert (claim_of(there).arrived, claim_of(there).evictions) == (NOW - 5000, 2)


def test_another_job_of_the_same_name_has_no_past() -> None:
    there = board([], [worker(0), worker(1)])
    there.crowd.put_past(Past("ns/train", "uid-of-another", 1.0, 2, NOW))
    assert claim_of(there).arrived > 1.0
    assert claim_of(there).evictions == 0


def test_a_gang_that_gives_way_does_not_start_again_before_all_of_it_is_gone() -> None:
    pods = [worker(0), worker(1)]
    there = board([node("a", 4)], pods)
    decisions = decide(there).decisions
    assert len(decisions) == 2
    seats = [bound(one, "a") for one in pods]
    for before, after in zip(pods, seats, strict=True):
        there.take_pod(before, after, NOW)
    concession = Concession(Verb.EVICT, "ns/train", "preempted", "ns/urgent has a higher priority.")
    there.concede(concession)
    there.take_pod(seats[0], None, NOW)
    there.take_pod(None, worker(0, life=1), NOW)
    assert placed(there) == {}
    assert told(there) == {
        "train-worker-0": "Its gang gives way, and waits until all of its pods have gone: ns/urgent has a higher priority."
    }
    there.take_pod(seats[1], None, NOW)
    there.take_pod(None, worker(1, life=1), NOW)
    there.has_conceded(concession._replace(verb=Verb.RESIZE))
    assert placed(there) == {}
    there.has_conceded(concession)
    assert set(placed(there)) == {"train-worker-0", "train-worker-1"}


def test_pods_that_are_being_deleted_count_as_going() -> None:
    pods = [bound(worker(0), "a"), bound(worker(1), "a")]
    there = board([node("a", 4)], pods)
    assert seated_of(there).leaving == frozenset()
    going = changed(pods[1], metadata={"deletionTimestamp": "2026-11-18T09:00:00Z"})
    there.take_pod(pods[1], going, NOW)
    assert seated_of(there).leaving == {"uid-train-worker-1-0"}


def test_a_gang_has_run_since_its_first_pod_was_bound_also_for_a_scheduler_that_began_later() -> None:
    since = {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2027-01-15T07:00:00Z"}
    there = board([node("a", 4)], [changed(bound(worker(0), "a"), status={"conditions": [since]})])
    assert seated_of(there).started == NOW - 3600


JOB = JobName(ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"), ObjectKey("ns", "train"), "uid-train")
CONCESSIONS = (
    Concession(Verb.MOVE, "ns/train", "moved", "Why.", "ns/b", (Leaver("u1", ObjectKey("ns", "p1")),), JOB),
    Concession(Verb.RESIZE, "ns/other", "grown", "Idle.", was=2, becomes=4),
)
PASTS = (Past("ns/train", "uid-train", 12.5, 3, 99.0), Past("pod:ns/one", "", 1.0, 1, 2.0))


def test_the_ledger_remembers_who_gives_way_and_who_did() -> None:
    ledger = Ledger(3, "me", (), CONCESSIONS, PASTS)
    kept = object_of(ledger, {"metadata": {"name": "ledger", "namespace": "ns"}})
    assert ledger_of(msgspec.json.decode(msgspec.json.encode(kept))) == ledger


def test_a_ledger_of_an_earlier_release_names_nobody() -> None:
    assert ledger_of({"metadata": {}, "data": {"epoch": "3", "holder": "me", "decisions": "[]"}}) == Ledger(3, "me")


@pytest.mark.parametrize("field", ["concessions", "pasts"])
def test_a_ledger_that_cannot_be_read_is_not_taken_for_empty(field: str) -> None:
    with pytest.raises(PermanentError, match="cannot be read"):
        ledger_of({"metadata": {"name": "ledger"}, "data": {"epoch": "3", field: '[["one"]]'}})
