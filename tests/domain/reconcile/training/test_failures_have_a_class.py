"""Every failed pod gets one class, by the first evidence that explains it.

what the pod shows                                     class
OOMKilled                                              oom
evicted, preempted, drained, node shut down            preempted, whatever the exit code
evicted for its own limit                              user
exit 1 to 127, or a signal of its own making           user
killed from outside (137, 143, 130)                    infra
node gone, or its devices refuse                       node
refused by a race of scheduling                        infra
deleted after it was asked for its stacks              hang
nothing at all                                         unknown
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.training.job import Place
from corral.kinds.training.status import Failure
from corral.reconcile.moments import stamp_of
from corral.reconcile.training.failures import (
    DUMP_STACKS,
    LONGEST_MESSAGE,
    counts,
    evidence_message,
    failure_of,
    is_worth_retrying,
    retryable_exit,
)
from corral.reconcile.training.world import Report
from tests.domain.reconcile.training.running_jobs import NOW, disruption, ended, job, job_object, pod, world

PLACE = Place("Worker", 1)
KERNEL_KILL = ended(137)


def failure(lost: tuple[str, ...] = (), **options: Any) -> Failure:
    seen = world(job=job_object(attempt=3), lost_nodes=dict.fromkeys(lost, NOW - 60))
    return failure_of(job(), PLACE, pod(**options), seen, NOW)


CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "out of memory": ({"containers": [ended(137, "OOMKilled")]}, "oom", "OOMKilled"),
    "out of memory beside the trainer": (
        {"containers": [ended(137), ended(137, "OOMKilled", name="side")]},
        "oom",
        "OOMKilled",
    ),
    "killed from outside": ({"containers": [KERNEL_KILL]}, "infra", "SIGKILL"),
    "terminated": ({"containers": [ended(143)]}, "infra", "SIGTERM"),
    "interrupted": ({"containers": [ended(130)]}, "infra", "SIGINT"),
    "a signal without a name": ({"containers": [ended(150)]}, "infra", "Signal22"),
    "an exception": ({"containers": [ended(1)]}, "user", "Error"),
    "no such command": ({"containers": [ended(127)]}, "user", "Error"),
    "segmentation fault": ({"containers": [ended(139)]}, "user", "SIGSEGV"),
    "exit of minus one": ({"containers": [ended(255)]}, "user", "Error"),
    "an init container that fails": ({"init": [ended(2, name="fetch")]}, "user", "Error"),
    "a command that is not in the image": (
        {"containers": [ended(128, "StartError", 'exec: "trian": executable file not found in $PATH')]},
        "user",
        "StartError",
    ),
    "a runtime that cannot start": ({"containers": [ended(128, "StartError", "nvml error")]}, "infra", "StartError"),
    "a container that nobody finds": (
        {"containers": [ended(137, "ContainerStatusUnknown")]},
        "node",
        "ContainerStatusUnknown",
    ),
    "preempted by the scheduler": (
        {"conditions": [disruption("PreemptionByScheduler")]},
        "preempted",
        "PreemptionByScheduler",
    ),
    "drained": (
        {"conditions": [disruption("EvictionByEvictionAPI")], "containers": [ended(143)]},
        "preempted",
        "EvictionByEvictionAPI",
    ),
    "drained, and the program said so by an exit code": (
        {"conditions": [disruption("EvictionByEvictionAPI")], "containers": [ended(1)]},
        "preempted",
        "EvictionByEvictionAPI",
    ),
    "low on memory, evicted": (
        {
            "reason": "Evicted",
            "message": "The node was low on resource: memory.",
            "conditions": [disruption("TerminationByKubelet")],
        },
        "preempted",
        "Evicted",
    ),
    "evicted by an old kubelet": ({"reason": "Evicted", "containers": [KERNEL_KILL]}, "preempted", "Evicted"),
    "evicted for its own limit": (
        {"reason": "Evicted", "message": 'Usage of EmptyDir volume "scratch" exceeds the limit "1Gi".'},
        "user",
        "Evicted",
    ),
    "node shut down": (
        {"reason": "Terminated", "message": "Pod was terminated in response to imminent node shutdown."},
        "preempted",
        "Terminated",
    ),
    "room for a critical pod": ({"reason": "Preempting"}, "preempted", "Preempting"),
    "node removed": ({"conditions": [disruption("DeletionByPodGC")]}, "node", "NodeLost"),
    "node silent": ({"phase": "Running", "lost": ("node-a",)}, "node", "NodeLost"),
    "taint of a silent node": (
        {"phase": "Running", "conditions": [disruption("DeletionByTaintManager")], "lost": ("node-a",)},
        "node",
        "NodeLost",
    ),
    "taint of a live node": (
        {"conditions": [disruption("DeletionByTaintManager")]},
        "preempted",
        "DeletionByTaintManager",
    ),
    "node lost after the program failed": ({"containers": [ended(1)], "lost": ("node-a",)}, "user", "Error"),
    "killed with its node": ({"containers": [KERNEL_KILL], "lost": ("node-a",)}, "node", "NodeLost"),
    "another node lost": ({"containers": [KERNEL_KILL], "lost": ("node-b",)}, "infra", "SIGKILL"),
    "a pod that never had a node": ({"node": "", "lost": ("",)}, "unknown", "NoEvidence"),
    "a GPU that is not there": ({"reason": "UnexpectedAdmissionError"}, "node", "UnexpectedAdmissionError"),
    "no CPU left": ({"reason": "OutOfcpu"}, "infra", "OutOfcpu"),
    "node label changed": ({"reason": "NodeAffinity"}, "infra", "NodeAffinity"),
    "a forbidden sysctl": ({"reason": "SysctlForbidden"}, "user", "SysctlForbidden"),
    "the pod's own deadline": ({"reason": "DeadlineExceeded", "containers": [ended(137)]}, "user", "DeadlineExceeded"),
    "deleted by hand": ({"phase": "Running", "deleting": True}, "unknown", "Deleted"),
    "an old disruption that is over": (
        {"conditions": [{**disruption("PreemptionByScheduler"), "status": "False"}], "containers": [ended(1)]},
        "user",
        "Error",
    ),
    "no evidence": ({}, "unknown", "NoEvidence"),
    "a reason nobody knows": ({"reason": "Weather"}, "unknown", "Weather"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_failure_has_its_class(name: str) -> None:
    shown, want_class, want_reason = CASES[name]
    found = failure(**shown)
    assert (found.class_, found.reason) == (want_class, want_reason)
    assert evidence_message(found).startswith("Pod train-worker-1 ")


def test_the_evidence_is_kept() -> None:
    found = failure(containers=[ended(1, message="ValueError: no data\n")])
    assert (found.role, found.index, found.attempt, found.time) == ("Worker", 1, 3, stamp_of(NOW))
    assert (found.pod, found.pod_uid, found.node) == ("train-worker-1", "uid-train-worker-1", "node-a")
    assert (found.exit_code, found.message) == (1, "ValueError: no data")


def test_a_trainer_that_ended_well_is_not_blamed_for_its_neighbour() -> None:
    found = failure(containers=[ended(0, "Completed"), ended(3, name="side", message="lost")])
    assert (found.class_, found.exit_code, found.message) == ("user", 3, "lost")


def test_a_pod_deleted_for_a_hang_says_so_unless_the_job_went_on() -> None:
    asked = {DUMP_STACKS: stamp_of(NOW - 20)}
    killed = pod(phase="Running", deleting=True, annotations=asked)
    assert failure_of(job(), PLACE, killed, world(), NOW).class_ == "hang"
    went_on = world(report=Report(step=5, since=NOW - 10))
    assert failure_of(job(), PLACE, killed, went_on, NOW).class_ == "unknown"


def test_only_what_others_take_away_is_free() -> None:
    classes = ["user", "oom", "infra", "node", "preempted", "hang", "unknown"]
    free = [one for one in classes if not counts(Failure(class_=one, time=""))]
    assert free == ["preempted"]


@pytest.mark.parametrize(
    ("code", "want"), [(None, True), (1, False), (127, False), (128, True), (130, True), (255, True)]
)
def test_exit_codes_are_retried_as_upstream_retries_them(code: int | None, want: bool) -> None:
    assert retryable_exit(code) is want


def test_memory_that_was_too_small_twice_in_one_place_is_not_tried_again() -> None:
    first = Failure(class_="oom", time="", role="Worker", index=1, pod_uid="a")
    again = Failure(class_="oom", time="", role="Worker", index=1, pod_uid="b")
    elsewhere = Failure(class_="oom", time="", role="Worker", index=0, pod_uid="c")
    assert is_worth_retrying(first, [])
    assert is_worth_retrying(first, [first])
    assert is_worth_retrying(again, [elsewhere])
    assert not is_worth_retrying(again, [first, elsewhere])
    assert is_worth_retrying(Failure(class_="user", time="", role="Worker", index=1), [first])


def test_hints_tell_what_to_do() -> None:
    oom = evidence_message(failure(containers=[ended(137, "OOMKilled")]))
    assert oom == (
        "Pod train-worker-1 on node node-a ran out of memory: container pytorch used more memory than its limit."
        " Raise the memory limit of the container, or make batches smaller."
    )
    measured = failure(containers=[ended(137, "OOMKilled", "used up to 3.00 GiB with a limit of 2.00 GiB")])
    assert measured.message.endswith("than its limit (used up to 3.00 GiB with a limit of 2.00 GiB)")
    assert "/dev/shm" in evidence_message(failure(containers=[ended(135)]))
    assert "does not count" in evidence_message(failure(reason="Preempting"))


words = st.text(max_size=40)


@given(code=st.integers(-(2**31), 2**31), words=st.tuples(words, words, words), message=st.text(max_size=3000))
def test_any_pod_has_a_failure_on_one_short_line(code: int, words: tuple[str, str, str], message: str) -> None:
    shown = {"containers": [ended(code, words[0], message)], "conditions": [disruption(words[2])]}
    for conditions in ([], shown["conditions"]):
        found = failure(reason=words[1], message=message, containers=shown["containers"], conditions=conditions)
        assert len(found.message) <= LONGEST_MESSAGE
        assert "\n" not in found.message
        assert evidence_message(found).endswith(".")
