"""Hangs: silence is believed only when somebody listened, stacks come first, then the attempt ends, then nodes are avoided."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.status import Failure, JobStatus
from corral.reconcile.moments import stamp_of
from corral.reconcile.training.failures import DUMP_STACKS
from corral.reconcile.training.hangs import NO_HANG, HangStep, avoided_nodes, hang_step, with_nodes_avoided
from corral.reconcile.training.world import Report
from tests.domain.reconcile.training.running_jobs import NOW, job, pod, running_status, world

HANG = {"hang": {"afterSeconds": 60}}
SILENT = Report(step=7, since=NOW - 100)


def members(**options: Any) -> list[PodView]:
    places = ("train-master-0", "node-a"), ("train-worker-0", "node-a"), ("train-worker-1", "node-b")
    return [pod(name, **{"phase": "Running", "node": node, **options}) for name, node in places]


def step(pods: list[PodView], report: Report | None = SILENT, since: float = NOW - 1000, **options: Any) -> HangStep:
    policy = options.get("policy", HANG)
    return hang_step(world(pods, report=report), job(policy), options.get("status") or running_status(since), NOW)


def test_without_being_asked_nothing_is_a_hang() -> None:
    assert step(members(), policy=None) == NO_HANG
    assert step(members(), policy={}) == NO_HANG


def test_silence_is_waited_for() -> None:
    assert step(members(), Report(step=7, since=NOW - 20)) == HangStep("wait", wait=40.0)


def test_a_job_without_any_step_is_measured_from_its_start() -> None:
    assert step(members(), Report(), since=NOW - 30) == HangStep("wait", wait=30.0)
    assert step(members(), Report(), since=NOW - 60).kind == "dump"


def test_an_attempt_that_began_later_than_the_last_step_gets_its_full_time() -> None:
    assert step(members(), since=NOW - 10) == HangStep("wait", wait=50.0)
    assert step(members(created=NOW - 5)) == HangStep("wait", wait=55.0)


def test_pods_that_waited_for_a_node_or_were_started_again_get_their_full_time() -> None:
    started = {"name": "pytorch", "state": {"running": {"startedAt": stamp_of(NOW - 5)}}}
    assert step(members(containers=[started])) == HangStep("wait", wait=55.0)


def test_silence_that_nobody_listened_to_is_none() -> None:
    assert step(members(), None) == NO_HANG


def test_a_job_that_does_not_run_does_not_hang() -> None:
    assert step(members(), status=JobStatus()) == NO_HANG
    assert step([]) == NO_HANG
    assert step(members(phase="Succeeded")) == NO_HANG
    assert step(members(deleting=True)) == NO_HANG


def test_a_pod_that_has_yet_to_start_explains_the_silence() -> None:
    assert step([*members(), pod("train-worker-2", "Pending")]) == NO_HANG


def test_first_the_stacks_are_asked_for() -> None:
    found = step(members())
    assert (found.kind, len(found.pods), found.wait) == ("dump", 3, 10.0)
    assert dict(found.annotations) == {DUMP_STACKS: stamp_of(NOW)}
    assert "no further step for 100 s" in found.message


def test_then_there_is_time_to_write_them() -> None:
    assert step(members(annotations={DUMP_STACKS: stamp_of(NOW - 4)})) == HangStep("wait", wait=6.0)


def test_then_the_attempt_ends_as_one_hang_with_its_nodes() -> None:
    asked = members(annotations={DUMP_STACKS: stamp_of(NOW - 10)})
    found = step(asked, status=running_status(NOW - 1000, attempt=2))
    assert (found.kind, found.pods) == ("kill", tuple(asked))
    told = [(one.class_, one.node, one.role, one.index, one.attempt) for one in found.failures]
    assert told == [("hang", "node-a", "Master", 0, 2), ("hang", "node-b", "Worker", 1, 2)]


def test_stacks_asked_for_an_earlier_silence_do_not_count() -> None:
    assert step(members(annotations={DUMP_STACKS: stamp_of(NOW - 500)})).kind == "dump"
    one_missing = [*members(annotations={DUMP_STACKS: stamp_of(NOW - 10)})[:2], members()[2]]
    assert step(one_missing).kind == "dump"


def test_a_nonsense_annotation_is_replaced() -> None:
    assert step(members(annotations={DUMP_STACKS: "soon"})).kind == "dump"


def test_a_wide_gang_blames_no_node() -> None:
    asked = {DUMP_STACKS: stamp_of(NOW - 10)}
    found = step([pod(f"train-worker-{n}", "Running", node=f"node-{n}", annotations=asked) for n in range(50)])
    assert [(one.class_, one.node) for one in found.failures] == [("hang", "")]


def hung(*attempts: str) -> JobStatus:
    """Returns a status after hangs; each attempt names its nodes, one letter each."""
    failures = [
        Failure(class_="hang", time=stamp_of(NOW + number), node=node, attempt=number)
        for number, nodes in enumerate(attempts)
        for node in nodes
    ]
    return JobStatus(failures=failures)


AVOIDED = {
    "one hang": (("a",), []),
    "twice on the only node": (("a", "a"), ["a"]),
    "on different nodes": (("a", "b"), []),
    "one node in common": (("abc", "ade"), ["a"]),
    "two of three in common": (("abc", "abd"), ["a", "b"]),
    "always the same nodes": (("ab", "ab"), []),
    "always the same nodes, then others": (("ab", "ab", "cd"), ["a", "b"]),
}


@pytest.mark.parametrize("name", AVOIDED)
def test_nodes_that_stand_out_are_avoided(name: str) -> None:
    attempts, want = AVOIDED[name]
    assert avoided_nodes(hung(*attempts)) == want


def test_other_failures_are_no_hangs() -> None:
    failures = [Failure(class_="infra", time=str(n), node="a", attempt=n) for n in range(5)]
    assert avoided_nodes(JobStatus(failures=failures)) == []


def test_every_alternative_of_an_affinity_avoids_the_nodes() -> None:
    rule = {"key": "kubernetes.io/hostname", "operator": "NotIn", "values": ["a"]}
    zone = {"key": "zone", "operator": "In", "values": ["1"]}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    plain: Object = {"spec": {"containers": []}}
    assert with_nodes_avoided(plain, []) is plain
    bare = with_nodes_avoided(plain, ["a"])["spec"]["affinity"]["nodeAffinity"][required]
    assert bare == {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}
    chosen = {
        "spec": {
            "affinity": {
                "podAffinity": {},
                "nodeAffinity": {required: {"nodeSelectorTerms": [{"matchExpressions": [zone]}, {}]}},
            }
        }
    }
    affinity = with_nodes_avoided(chosen, ["a"])["spec"]["affinity"]
    assert affinity["nodeAffinity"][required]["nodeSelectorTerms"] == [
        {"matchExpressions": [zone, rule]},
        {"matchExpressions": [rule]},
    ]
    assert affinity["podAffinity"] == {}
    assert len(chosen["spec"]["affinity"]["nodeAffinity"][required]["nodeSelectorTerms"][0]["matchExpressions"]) == 1


@given(since=st.floats(-1000, 10), started=st.floats(-1000, 10), asked=st.floats(-1000, 10))
def test_nothing_is_killed_before_its_time(since: float, started: float, asked: float) -> None:
    report = Report(step=1, since=NOW + since)
    found = step(members(annotations={DUMP_STACKS: stamp_of(NOW + asked)}), report, NOW + started)
    if found.kind == "kill":
        # Whole seconds in stamps, so one second may be lost on either side.
        assert max(since, started) <= -60 + 1
        assert asked <= -10 + 1
    assert found.wait is None or found.wait > 0
