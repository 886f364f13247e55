"""Members that have succeeded need no place any more: one that is made anew does not wait for them."""

from corral.control.scheduling.board import Board
from corral.kinds.scheduling.names import GANG, GANG_SIZE
from corral.kinds.scheduling.pod_view import SchedulingPod
from tests.control.scheduling.scene import NOW, board, bound, carried_out, changed, decide, node, placed, pod


def worker(index: int, *, life: int = 0, owner: str = "uid-job") -> SchedulingPod:
    reference = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "name": "job", "uid": owner, "controller": True}
    metadata = {
        "labels": {GANG: "job"},
        "annotations": {GANG_SIZE: "3"},
        "ownerReferences": [reference],
        "uid": f"uid-{owner}-{index}-{life}",
    }
    return pod(f"worker-{index}", 1, metadata=metadata)


def succeeded(one: SchedulingPod) -> SchedulingPod:
    return changed(one, status={"phase": "Succeeded"})


def with_one_done() -> Board:
    """Returns a board on which two of three go on, and one has succeeded."""
    workers = [bound(worker(index), "one") for index in range(3)]
    there = board([node("one", gpus=4)], workers)
    there.take_pod(workers[0], succeeded(workers[0]), NOW)
    return there


def test_one_that_is_made_anew_does_not_wait_for_one_that_is_done() -> None:
    there = with_one_done()
    there.take_pod(bound(worker(1), "one"), None, NOW)
    there.take_pod(None, worker(1, life=1), NOW)
    decided = decide(there)
    assert [one.key.name for one in decided.decisions] == ["worker-1"]
    carried_out(there, decided.decisions)
    assert list(there.half_started()) == []
    assert len(there.promises) == 0


def test_it_is_the_same_for_one_who_comes_later() -> None:
    there = board(
        [node("one", gpus=4)],
        [succeeded(bound(worker(0), "one")), worker(1, life=1), bound(worker(2), "one")],
    )
    assert placed(there) == {"worker-1": "one"}


def test_when_what_was_done_is_taken_away_it_counts_no_more() -> None:
    there = with_one_done()
    there.take_pod(succeeded(bound(worker(0), "one")), None, NOW)
    there.take_pod(bound(worker(1), "one"), None, NOW)
    there.take_pod(None, worker(1, life=1), NOW)
    assert placed(there) == {}
    there.take_pod(None, worker(0, life=1), NOW)
    assert placed(there) == {"worker-0": "one", "worker-1": "one"}


def test_what_another_job_of_the_name_has_done_does_not_count() -> None:
    there = with_one_done()
    for index in (1, 2):
        there.take_pod(bound(worker(index), "one"), None, NOW)
        there.take_pod(None, worker(index, owner="uid-another"), NOW)
    assert placed(there) == {}


def test_one_that_failed_must_be_made_anew() -> None:
    workers = [bound(worker(index), "one") for index in range(3)]
    there = board([node("one", gpus=4)], workers)
    there.take_pod(workers[0], changed(workers[0], status={"phase": "Failed"}), NOW)
    there.take_pod(workers[1], None, NOW)
    there.take_pod(None, worker(1, life=1), NOW)
    assert placed(there) == {}
