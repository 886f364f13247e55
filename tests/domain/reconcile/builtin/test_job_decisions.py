"""Whole steps of Jobs: how many pods, which, when not, and when it is over."""

from typing import Any, NamedTuple

import pytest

from corral.kinds.objects import Object
from corral.reconcile.builtin.jobs.decision import Observed, decide, ended
from corral.reconcile.builtin.jobs.status import report
from corral.reconcile.plan import Create, Delete, Patch, Update
from tests.domain.reconcile.builtin.builders import NOW, STAMP, job, job_pod

STARTED = {"startTime": STAMP}
INDEXED = {"completionMode": "Indexed"}
LONG_AGO = "2027-01-15T07:00:00Z"


class Scene(NamedTuple):
    spec: dict[str, Any]
    pods: list[Object]
    want_new: int = 0
    want_gone: tuple[str, ...] = ()
    status: Object | None = None
    want_wait: float | None = None


SCENES: dict[str, Scene] = {
    "as many as may run at once": Scene({"parallelism": 3, "completions": 9}, [], 3),
    "never more than are still needed": Scene({"parallelism": 3, "completions": 4}, [], 1, status={"succeeded": 3}),
    "those that run count": Scene({"parallelism": 3, "completions": 9}, [job_pod("a", "Running")], 2),
    "a queue with a success gets no new workers": Scene({"parallelism": 3}, [job_pod("a")], 0, status={"succeeded": 1}),
    "too many are removed": Scene({"parallelism": 1, "completions": 9}, [job_pod("a"), job_pod("b")], 0, ("a",)),
    "a suspended one has none": Scene({"suspend": True}, [job_pod("a")], 0, ("a",)),
    "after a failure it waits ten seconds": Scene(
        {}, [job_pod("a", "Failed", finished=STAMP)], 0, want_wait=10.0, status=STARTED
    ),
    "after three in a row forty": Scene(
        {}, [job_pod(name, "Failed", finished=STAMP) for name in "abc"], 0, want_wait=40.0, status=STARTED
    ),
    "a success ends the row": Scene(
        {"completions": 2},
        [job_pod("a", "Failed", finished=LONG_AGO), job_pod("b", "Succeeded", finished=STAMP)],
        1,
    ),
    "an old failure is not waited for": Scene({}, [job_pod("a", "Failed", finished=LONG_AGO)], 1),
    "a going pod counts as a failure and is replaced after a while": Scene(
        {"backoffLimit": 6}, [job_pod("a", "Running", deleting=True, created=LONG_AGO)], 0, want_wait=10.0
    ),
    "but not where only failed ones are": Scene(
        {"podReplacementPolicy": "Failed"}, [job_pod("a", "Running", deleting=True)], 0
    ),
    "the deadline is kept in mind": Scene(
        {"activeDeadlineSeconds": 60}, [job_pod("a")], 0, want_wait=60.0, status=STARTED
    ),
}


@pytest.mark.parametrize("case", SCENES)
def test_pods_are_made_and_removed(case: str) -> None:
    scene = SCENES[case]
    step = decide(Observed(job(scene.status, **scene.spec), scene.pods), NOW)
    assert step.verdict is None
    assert sum(isinstance(action, Create) for action in step.pods) == scene.want_new
    assert tuple(action.key.name for action in step.pods if isinstance(action, Delete)) == scene.want_gone
    assert step.look_again == scene.want_wait


def indexes(step_pods: object) -> list[str]:
    found = [action.object["metadata"]["annotations"] for action in step_pods if isinstance(action, Create)]  # type: ignore[attr-defined]
    return [one["batch.kubernetes.io/job-completion-index"] for one in found]


def test_the_lowest_free_indexes_come_first() -> None:
    spec = {**INDEXED, "completions": 6, "parallelism": 3}
    pods = [job_pod("a", "Running", 1)]
    step = decide(Observed(job({"completedIndexes": "0,3"}, **spec), pods), NOW)
    assert indexes(step.pods) == ["2", "4"]


def test_doubled_and_useless_indexes_are_removed() -> None:
    spec = {**INDEXED, "completions": 3, "parallelism": 3}
    pods = [job_pod("a", index=1), job_pod("b", index=1), job_pod("c", index=7), job_pod("d", index=0)]
    step = decide(Observed(job({"completedIndexes": "0"}, **spec), pods), NOW)
    assert {action.key.name for action in step.pods if isinstance(action, Delete)} == {"b", "c", "d"}


def test_many_pods_start_slowly() -> None:
    step = decide(Observed(job(parallelism=10, completions=10), []), NOW)
    sizes = [sum(isinstance(action, Create) for action in stage) for stage in step.pods.stages]
    assert sizes == [1, 2, 4, 3, 0]


def test_names_are_the_same_every_time_and_pass_over_taken_ones() -> None:
    def made(taken: set[str]) -> list[str]:
        step = decide(Observed(job(parallelism=2, completions=2), [], taken), NOW)
        return [action.object["metadata"]["name"] for action in step.pods if isinstance(action, Create)]

    first = made(set())
    assert made(set()) == first
    assert made({first[0]})[0] == first[1]


VERDICTS: dict[str, tuple[dict[str, Any], Object, list[Object], str]] = {
    "enough successes": ({"completions": 2}, {"succeeded": 2}, [], "CompletionsReached"),
    "a queue is done when the last worker is": ({}, {"succeeded": 1}, [], "CompletionsReached"),
    "too many failures": ({"backoffLimit": 1}, {"failed": 2}, [], "BackoffLimitExceeded"),
    "the last failure is still forgiven": ({"backoffLimit": 2}, {"failed": 2}, [job_pod("a")], ""),
    "restarts in place count too": (
        {
            "backoffLimit": 2,
            "template": {"spec": {"restartPolicy": "OnFailure", "containers": []}},
        },
        {},
        [job_pod("a", "Running", restarts=2)],
        "BackoffLimitExceeded",
    ),
    "too late": ({"activeDeadlineSeconds": 60}, {"startTime": LONG_AGO}, [job_pod("a")], "DeadlineExceeded"),
    "time does not count while suspended": (
        {"activeDeadlineSeconds": 60, "suspend": True},
        {"startTime": LONG_AGO},
        [],
        "",
    ),
    "what was said stands": (
        {"completions": 1},
        {
            "succeeded": 1,
            "conditions": [{"type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded", "message": ""}],
        },
        [],
        "DeadlineExceeded",
    ),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_verdicts(case: str) -> None:
    spec, status, pods, want = VERDICTS[case]
    verdict = decide(Observed(job(status, **spec), pods), NOW).verdict
    assert (verdict.reason if verdict else "") == want


def test_counted_pods_are_released_only_after_the_status_is_written() -> None:
    step = decide(Observed(job(STARTED, completions=2), [job_pod("a", "Succeeded")]), NOW)
    plan = report(step, NOW, has_happened=True)
    kinds = [type(action) for action in plan if isinstance(action, Update | Patch)]
    assert kinds == [Update, Patch]
    [written] = [action for action in plan if isinstance(action, Update)]
    assert written.object["metadata"]["resourceVersion"] == "5"
    assert written.object["status"]["uncountedTerminatedPods"] == {"succeeded": ["uid-a"]}


def test_the_end_waits_until_the_last_pod_is_gone_and_counted() -> None:
    said = {"completions": 1, "podReplacementPolicy": "Failed"}
    done = job_pod("a", "Succeeded", finalizers=[])
    late = job_pod("b", "Running", deleting=True, finalizers=[])
    waiting = report(
        decide(Observed(job({"succeeded": 1, **STARTED}, **said), [done, late]), NOW), NOW, has_happened=True
    )
    [written] = [action for action in waiting if isinstance(action, Update)]
    assert [one["type"] for one in written.object["status"]["conditions"]] == ["SuccessCriteriaMet"]
    over = report(decide(Observed(job({"succeeded": 1, **STARTED}, **said), [done]), NOW), NOW, has_happened=True)
    [written] = [action for action in over if isinstance(action, Update)]
    assert [one["type"] for one in written.object["status"]["conditions"]] == ["SuccessCriteriaMet", "Complete"]
    assert written.object["status"]["completionTime"] == STAMP


def test_pods_that_could_not_be_made_are_not_told_of() -> None:
    step = decide(Observed(job(parallelism=2, completions=2), []), NOW)
    [written] = [one for one in report(step, NOW, has_happened=False) if isinstance(one, Update)]
    assert "active" not in written.object["status"]
    [written] = [one for one in report(step, NOW, has_happened=True) if isinstance(one, Update)]
    assert written.object["status"]["active"] == 2


def test_a_job_that_is_over_is_cleared_after_its_time() -> None:
    status = {"conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": STAMP}]}
    over = Observed(job(status, ttlSecondsAfterFinished=100), [job_pod("a", "Succeeded")])
    early = ended(over, NOW + 40)
    assert early.look_again_after == pytest.approx(60.05)
    assert next(type(action) for action in early) is Patch
    [delete] = [action for action in ended(over, NOW + 100) if isinstance(action, Delete)]
    assert (delete.propagation, delete.version) == ("Foreground", "5")
