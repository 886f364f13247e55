"""Counting: a pod is noted, released, counted, in this order, and in each state the sum is right."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.objects import Object
from corral.reconcile.builtin.jobs.indexes import parsed, written
from corral.reconcile.builtin.jobs.tally import tallied
from tests.domain.reconcile.builtin.builders import job, job_pod, names


class Scene(NamedTuple):
    status: Object
    pods: list[Object]
    want: tuple[int, int]
    want_noted: dict[str, list[str]]
    want_released: list[str]
    spec: dict[str, Any] | None = None


SCENES: dict[str, Scene] = {
    "a success is noted first": Scene({}, [job_pod("a", "Succeeded")], (1, 0), {"succeeded": ["uid-a"]}, ["a"]),
    "what is noted and still held counts once": Scene(
        {"uncountedTerminatedPods": {"succeeded": ["uid-a"]}},
        [job_pod("a", "Succeeded")],
        (1, 0),
        {"succeeded": ["uid-a"]},
        ["a"],
    ),
    "what is noted and free goes into the counter": Scene(
        {"succeeded": 4, "uncountedTerminatedPods": {"succeeded": ["uid-a"]}},
        [job_pod("a", "Succeeded", finalizers=[])],
        (5, 0),
        {},
        [],
    ),
    "what is noted and gone goes into the counter": Scene(
        {"failed": 1, "uncountedTerminatedPods": {"failed": ["uid-gone"]}}, [], (0, 2), {}, []
    ),
    "what is free and not noted was counted before": Scene(
        {"succeeded": 1}, [job_pod("a", "Succeeded", finalizers=[])], (1, 0), {}, []
    ),
    "a pod that is going has failed": Scene(
        {}, [job_pod("a", "Running", deleting=True)], (0, 1), {"failed": ["uid-a"]}, ["a"]
    ),
    "unless only failed pods are replaced": Scene(
        {}, [job_pod("a", "Running", deleting=True)], (0, 0), {}, [], {"podReplacementPolicy": "Failed"}
    ),
    "running pods are held and not counted": Scene({}, [job_pod("a", "Running")], (0, 0), {}, []),
    "indexes count once however many pods succeed": Scene(
        {"completedIndexes": "1"},
        [job_pod("a", "Succeeded", 1), job_pod("b", "Succeeded", 2)],
        (2, 0),
        {},
        ["a", "b"],
        {"completionMode": "Indexed", "completions": 3},
    ),
    "an index out of range does not count": Scene(
        {}, [job_pod("a", "Succeeded", 9)], (0, 0), {}, ["a"], {"completionMode": "Indexed", "completions": 3}
    ),
}


@pytest.mark.parametrize("case", SCENES)
def test_results_are_tallied(case: str) -> None:
    scene = SCENES[case]
    tally = tallied(job(scene.status, **(scene.spec or {})), scene.pods)
    assert (tally.succeeded, tally.failed) == scene.want
    noted = {"succeeded": list(tally.noted_succeeded), "failed": list(tally.noted_failed)}
    assert {name: uids for name, uids in noted.items() if uids} == scene.want_noted
    assert names(tally.released) == scene.want_released


def test_a_failing_job_counts_what_it_stops() -> None:
    tally = tallied(job(), [job_pod("a", "Running"), job_pod("b", "Succeeded")], is_failing=True, is_over=True)
    assert (tally.succeeded, tally.failed) == (1, 1)


def test_no_more_are_noted_than_a_status_can_hold() -> None:
    tally = tallied(job(), [job_pod(f"p{number}", "Succeeded") for number in range(700)])
    assert (len(tally.noted_succeeded), len(tally.released)) == (500, 500)


@given(st.sets(st.integers(0, 60)))
def test_indexes_survive_being_written(indexes: set[int]) -> None:
    assert parsed(written(indexes), 61) == indexes


@pytest.mark.parametrize(
    ("indexes", "text"), [([], ""), ([3], "3"), ([0, 1], "0,1"), ([0, 1, 2], "0-2"), ([0, 2, 3, 4, 9], "0,2-4,9")]
)
def test_runs_of_indexes_are_short(indexes: list[int], text: str) -> None:
    assert written(indexes) == text


def test_bad_text_lists_nothing() -> None:
    assert parsed("a,-3,5-,7-x,2", 10) == {2, 5}


@given(st.data())
def test_no_order_of_crashes_loses_or_doubles_a_result(data: st.DataObject) -> None:
    """Plays the protocol with a crash after any write: in the end each pod counts once."""
    pods = [job_pod(f"p{n}", data.draw(st.sampled_from(["Succeeded", "Failed"]))) for n in range(6)]
    status: Object = {}
    for _ in range(40):
        tally = tallied(job(status), pods)
        if data.draw(st.booleans()):
            continue  # a crash before the status was written
        status = {
            "succeeded": tally.counted_succeeded,
            "failed": tally.counted_failed,
            "uncountedTerminatedPods": {
                "succeeded": list(tally.noted_succeeded),
                "failed": list(tally.noted_failed),
            },
        }
        for one in tally.released:
            if data.draw(st.booleans()):
                break  # a crash before this pod was released
            one["metadata"]["finalizers"] = []
            if data.draw(st.booleans()):
                pods.remove(one)
    for one in pods:
        one["metadata"]["finalizers"] = one["metadata"].get("finalizers") or []
    final = tallied(job(status), pods)
    assert final.succeeded + final.failed == 6
