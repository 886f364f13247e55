"""Snapshots with other nodes, quotas and jobs: what is changed, what a scheduler makes of it, and what is never in a file."""

from typing import Any

import msgspec
import pytest

from corral.control.scheduling.scenes.changes import (
    Change,
    Closed,
    MoreNodes,
    QueueHas,
    WithoutJob,
    WithoutNode,
    queue_change,
)
from corral.control.scheduling.scenes.file_form import read, written
from corral.control.scheduling.scenes.reporting import report_of
from corral.control.scheduling.scenes.runs import ended_runs
from corral.control.scheduling.scenes.scene import Scene
from corral.control.scheduling.scenes.snapshot import VOLCANO_QUEUES, GroupSaid, QueueSaid, Snapshot
from corral.control.scheduling.scenes.stripping import bare_node, bare_pod
from corral.errors import PermanentError
from corral.kinds.queues.queue import QUEUE
from corral.kinds.scheduling.names import HAMI_REGISTER, PREEMPTIBLE, VOLCANO_GROUP
from corral.kinds.scheduling.names import QUEUE as QUEUE_LABEL
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.remedies.explanation import Terms, explain
from tests.control.scheduling.scene import NOW, member, node, pod
from tests.control.scheduling.test_starts_are_expected import ended, since

CORRAL = frozenset({"corral"})


def snapshot(*pods: SchedulingPod, nodes: int = 2, **more: Any) -> Snapshot:
    there = tuple(node(f"n{at}", 4, labels={"kubernetes.io/hostname": f"n{at}"}) for at in range(nodes))
    return Snapshot(taken=NOW, schedulers=("corral",), nodes=there, pods=pods, **more)


def report(of: Snapshot, *changes: Change, policy: str = "default", seeds: tuple[int, ...] = (1, 2)) -> dict[str, Any]:
    return report_of(of, changes, policy, seeds)


def jobs(found: list[dict[str, Any]]) -> list[str]:
    return [one["job"] for one in found]


FULL = (
    since(pod("a", 4, on="n0", phase="Running"), NOW - 300),
    since(pod("b", 3, on="n1", phase="Running"), NOW - 300),
    pod("wide", 4),
    pod("thin", 1),
)
"""Nodes n0 and n1 have four GPUs each; `thin` fits, `wide` does not."""


def test_who_fits_starts_and_who_does_not_is_told_why() -> None:
    found = report(snapshot(*FULL))
    assert jobs(found["starts_now"]) == ["ns/thin"]
    assert [(one["job"], one["code"], one["place"]) for one in found["waiting"]] == [("ns/wide", "short-of-gpus", 1)]
    assert found["allocation_percent"] == {"before": 87.5, "now": 100.0}
    assert (found["bound_percent"], found["gap_points"]) == (100.0, 0.0)
    assert "of 2 gangs" not in found["wait_seconds_by_gpus"]["unknown"]
    assert found["wait_seconds_by_gpus"]["unknown"].startswith("too few jobs have ended here")


CHANGES: dict[str, tuple[Change, list[str]]] = {
    "another node": (MoreNodes(1, "n0"), ["ns/thin", "ns/wide"]),
    "a job less": (WithoutJob("ns/a"), ["ns/thin", "ns/wide"]),
    "a job less, by its name alone": (WithoutJob("a"), ["ns/thin", "ns/wide"]),
    "a node less": (WithoutNode("n1"), []),
    "a cordoned node": (Closed("n1"), []),
    "a new queue that nobody names": (QueueHas("vision", "limit", "nvidia.com/gpu", "1"), ["ns/thin"]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_lets_others_start(name: str) -> None:
    change, starts = CHANGES[name]
    assert jobs(report(snapshot(*FULL), change)["starts_now"]) == starts


def test_a_cordoned_node_is_opened_with_its_taint() -> None:
    closed = node("n0", 4, closed=True, taints=[{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}])
    of = msgspec.structs.replace(snapshot(pod("next", 1)), nodes=(closed,))
    assert jobs(report(of)["starts_now"]) == []
    assert jobs(report(of, Closed("n0", is_closed=False))["starts_now"]) == ["ns/next"]


def in_queue(name: str, gpus: int, queue: str) -> SchedulingPod:
    return pod(name, gpus, metadata={"labels": {QUEUE_LABEL: queue}})


def test_quotas_of_both_kinds_of_queues_are_changed() -> None:
    own = QueueSaid(kind=QUEUE.qualified, name="own", spec={"limit": {"nvidia.com/gpu": 1}})
    theirs = QueueSaid(kind=VOLCANO_QUEUES.qualified, name="theirs", spec={"capability": {"nvidia.com/gpu": 1}})
    of = snapshot(in_queue("x", 2, "own"), in_queue("y", 2, "theirs"), queues=(own, theirs))
    assert report(of)["waiting_by_code"] == {"quota-limit": 2}
    raised = [queue_change(f"{name}.limit.nvidia.com/gpu={amount}") for name, amount in (("own", ""), ("theirs", "2"))]
    assert jobs(report(of, *raised)["starts_now"]) == ["ns/x", "ns/y"]
    with pytest.raises(PermanentError, match="has no lending"):
        report(of, queue_change("theirs.lending.nvidia.com/gpu=1"))


def test_a_queue_returns_what_it_borrows_when_its_job_ends() -> None:
    owner = QueueSaid(kind=QUEUE.qualified, name="owner", spec={"guarantee": {"nvidia.com/gpu": 4}})
    guest = QueueSaid(kind=QUEUE.qualified, name="guest", spec={"guarantee": {"nvidia.com/gpu": 1}})
    marks = {"labels": {QUEUE_LABEL: "guest"}, "annotations": {PREEMPTIBLE: "false"}}
    held = [since(pod(f"g{at}", 4, on=f"n{at}", phase="Running", metadata=marks), NOW - 300) for at in range(2)]
    scene = Scene(snapshot(*held, in_queue("next", 4, "owner"), queues=(owner, guest)))
    scene.decide()
    asked = scene.gang("uid-next")
    assert asked is not None
    jobs_seen = scene.jobs("ns", "next", asked.queue)
    found = explain(scene.fleet, asked, scene.room.policy, jobs_seen, terms=Terms(books=scene.books("ns")))
    assert found is not None
    returned = "when g0 ends or is suspended (it holds 4 GPUs, and queue guest returns 4 GPUs that it borrows)"
    assert returned in [one.sentence for one in found.remedies]
    assert {one.borrowed for one in scene.jobs("ns", "", "guest")} == {0}


@pytest.mark.parametrize(
    "text", ["vision", "vision=1", "vision.limit=1", ".limit.cpu=1", "vision.weight=0", "vision.weight.x=1"]
)
def test_a_text_that_changes_no_queue_is_refused(text: str) -> None:
    with pytest.raises(PermanentError, match="says nothing about a queue"):
        queue_change(text)


def test_the_line_is_played_forward_with_run_times_that_were_seen() -> None:
    runs = tuple(ended_runs(ended(20, 900), CORRAL))
    found = report(snapshot(*FULL, runs=runs), seeds=(1, 2, 3))
    wait = found["waiting"][0]["starts_in_seconds"]
    assert wait["never_percent"] == 0.0
    assert 500 <= wait["median"] <= 700  # those that run have run for 300 of 900 seconds
    assert set(found["wait_seconds_by_gpus"]) == {"4"}
    never = report(snapshot(*FULL, pod("huge", 9), runs=runs))
    assert next(one for one in never["waiting"] if one["job"] == "ns/huge")["starts_in_seconds"] == {
        "never_percent": 100.0
    }


def test_the_same_snapshot_and_seeds_give_the_same_report() -> None:
    of = snapshot(*FULL, runs=tuple(ended_runs(ended(20, 900), CORRAL)))
    assert report(of) == report(read("file", written(of).encode()))


@pytest.mark.parametrize("policy", ["default", "fgd", "bestfit", "random"])
def test_a_cluster_without_pods_or_nodes_is_one_too(policy: str) -> None:
    assert report(snapshot(), policy=policy)["allocation_percent"] == {"before": 0.0, "now": 0.0}
    empty = Snapshot(taken=NOW, schedulers=("corral",))
    assert report(empty, policy=policy)["bound_percent"] == 0.0


SECRET = "hunter2"


def test_nothing_that_is_not_about_scheduling_is_kept() -> None:
    told = {
        "metadata": {
            "name": "p",
            "namespace": "ns",
            "uid": "u",
            "labels": {"team": "vision"},
            "annotations": {"token": SECRET, HAMI_REGISTER: "devices", VOLCANO_GROUP: "g"},
            "managedFields": [{"manager": SECRET}],
        },
        "spec": {
            "containers": [{"name": "c", "image": SECRET, "args": [SECRET], "env": [{"name": "A", "value": SECRET}]}],
            "volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"a": SECRET}}}}}],
            "serviceAccountName": SECRET,
        },
        "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": SECRET}]},
    }
    seen = bare_pod(msgspec.convert(told, SchedulingPod))
    marked = node("n0", 1, annotations={"token": SECRET, HAMI_REGISTER: "devices"})
    text = written(Snapshot(taken=NOW, pods=(seen,), nodes=(bare_node(marked),)))
    assert SECRET not in text
    assert '"team": "vision"' in text
    assert set(seen.metadata.annotations) == {HAMI_REGISTER, VOLCANO_GROUP}
    assert bare_node(marked).metadata.annotations == {HAMI_REGISTER: "devices"}


def test_a_file_says_all_that_was_there() -> None:
    group = GroupSaid(kind="podgroups.scheduling.volcano.sh", namespace="ns", name="g", size=2, queue="q")
    queue = QueueSaid(kind=QUEUE.qualified, name="q", spec={"lending": {}})
    of = snapshot(
        member(
            "m",
            "train",
            2,
            affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": {}}]}},
        ),
        groups=(group,),
        queues=(queue,),
        runs=tuple(ended_runs(ended(3, 60), CORRAL)),
    )
    assert read("file", written(of).encode()) == of
