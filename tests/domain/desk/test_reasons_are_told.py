"""Why a job is as it is: one reason, in plain words, with the numbers behind it."""

from typing import Any

import msgspec
import pytest

from corral.control.desk.jobs.events import Told
from corral.control.desk.jobs.lines import job_line
from corral.control.desk.jobs.pods import (
    ClaimSource,
    JobContainer,
    JobPod,
    JobPodSpec,
    JobPodStatus,
    JobVolume,
    Resources,
)
from corral.control.desk.naming.finding import Found
from corral.control.desk.why.judging import reason_for
from corral.control.desk.why.situation import LastWords, Situation
from corral.control.desk.why.words import amount, listed, some
from corral.kinds.objects import Metadata
from corral.kinds.pod_view import (
    ContainerState,
    ContainerStatus,
    PodCondition,
    Running,
    Terminated,
    Toleration,
    Waiting,
)
from corral.kinds.reasons import Reason
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.kinds.training.label_names import JOB_NAME
from corral.reconcile.moments import seconds_of

PYTORCH = ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")
BEGAN = "2027-01-15T08:00:00Z"
NOW = (seconds_of(BEGAN) or 0.0) + 120.0


def why(
    *conditions: str,
    pods: list[JobPod] | None = None,
    events: list[Told] | None = None,
    spec: dict[str, Any] | None = None,
    metadata: dict[str, Any] | None = None,
    status: dict[str, Any] | None = None,
    **around: Any,
) -> Reason:
    told = [{"type": one, "status": "True", "message": f"{one}!", "lastTransitionTime": BEGAN} for one in conditions]
    obj = {
        "metadata": {"name": "digits", "namespace": "team", "uid": "u", "creationTimestamp": BEGAN, **(metadata or {})},
        "spec": {"pytorchReplicaSpecs": {"Master": {}, "Worker": {"replicas": 3}}, **(spec or {})},
        "status": {"conditions": told, **(status or {})},
    }
    job, mine = Found(PYTORCH, obj), pods or []
    around = {"sees_everybody": True, **around, "others": [*as_scheduled(mine), *around.get("others", [])]}
    return reason_for(Situation(job, job_line(job, mine), mine, events or [], NOW, **around))


def pod(
    index: int = 0, phase: str = "Pending", node: str = "", state: ContainerState | None = None, **more: Any
) -> JobPod:
    spec = {name: more.pop(name) for name in list(more) if name in JobPodSpec.__struct_fields__}
    wants = more.pop("wants", {"nvidia.com/gpu": "8"})
    container = JobContainer(name="pytorch", image="shop/net:1", resources=Resources(limits=wants))
    held = ContainerStatus(name="pytorch", state=state or ContainerState(), restart_count=more.pop("restarts", 0))
    return JobPod(
        metadata=Metadata(name=f"digits-worker-{index}", uid=f"w{index}", creation_timestamp=BEGAN),
        spec=JobPodSpec(node_name=node, containers=[container], **spec),
        status=JobPodStatus(phase=phase, container_statuses=[held] if state else [], **more),
    )


def unplaced(
    index: int = 0, message: str = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.", **more: Any
) -> JobPod:
    said = PodCondition(type="PodScheduled", status="False", reason="Unschedulable", message=message)
    return pod(index, conditions=[said], **more)


def node(name: str, gpus: int = 8, labels: dict[str, str] | None = None, **spec: Any) -> SchedulingNode:
    there = {"nvidia.com/gpu": str(gpus), "cpu": "64", "memory": "256Gi", "pods": "110"}
    document = {
        "metadata": {"name": name, "labels": labels or {}},
        "spec": spec,
        "status": {"allocatable": there, "conditions": [{"type": "Ready", "status": "True"}]},
    }
    return msgspec.convert(document, SchedulingNode)


def as_scheduled(pods: list[JobPod]) -> list[SchedulingPod]:
    """The same pods as the scheduler reads them."""
    return [msgspec.convert(msgspec.to_builtins(one), SchedulingPod) for one in pods]


def job_of_others(name: str, at: str, gpus: int) -> SchedulingPod:
    container = {"resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}
    document = {
        "metadata": {"name": f"{name}-0", "namespace": "team", "uid": name, "labels": {JOB_NAME: name}},
        "spec": {"nodeName": at, "containers": [container]},
        "status": {"phase": "Running"},
    }
    return msgspec.convert(document, SchedulingPod)


def held(reason: str, message: str = "") -> ContainerState:
    return ContainerState(waiting=Waiting(reason=reason, message=message))


def said(reason: str, message: str, about: str = "pytorchjob/digits", *, warns: bool = True) -> Told:
    return Told(NOW - 5, warns, about, reason, message, 1)


QUOTA = (
    'Error creating: pods "digits-worker-2" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=4,'
    " used: requests.nvidia.com/gpu=6, limited: requests.nvidia.com/gpu=8"
)
BUSY = [job_of_others("bert", "big", 2), job_of_others("llama", "small", 5)]
TWO = [node("big"), node("small")]

REASONS: dict[str, tuple[Reason, str, str]] = {
    "deleted": (
        why("Running", metadata={"deletionTimestamp": "2027-01-15T08:01:00Z", "finalizers": ["keep.me/please"]}),
        "deleting",
        "it is being deleted, since 1m; it waits for keep.me/please",
    ),
    "succeeded": (
        why("Running", "Succeeded", status={"startTime": BEGAN, "completionTime": "2027-01-15T08:00:45Z"}),
        "succeeded",
        "it has succeeded after 45s",
    ),
    "suspended": (
        why("Suspended", spec={"runPolicy": {"suspend": True}}),
        "suspended",
        "it is suspended: somebody has asked for it to wait",
    ),
    "queued by Kueue": (
        why(spec={"runPolicy": {"suspend": True}}, metadata={"labels": {"kueue.x-k8s.io/queue-name": "vision"}}),
        "queued",
        'it waits until the queue "vision" lets it in',
    ),
    "queued by kube-queue": (
        why("Created", metadata={"annotations": {"scheduling.x-k8s.io/suspend": "true"}}),
        "queued",
        "it waits until kube-queue lets it in",
    ),
    "not valid": (why("Created", "Invalid"), "invalid", "it is not valid, so the operator does nothing for it"),
    "no operator": (
        why(),
        "no-operator",
        "no operator has seen it in 2m: none that looks after pytorchjobs is running",
    ),
    "over quota": (
        why(
            "Created",
            pods=[pod(0, "Running", "big"), pod(1, "Running", "big")],
            events=[said("FailedCreatePod", QUOTA)],
        ),
        "quota",
        '2 of 4 pods cannot be made, since the quota "gpus" is used up: a pod needs 4 GPUs, and 2 GPUs are left of the quota',
    ),
    "refused": (
        why("Created", events=[said("FailedCreatePod", "Error creating: violates PodSecurity")]),
        "pods-refused",
        "all 4 pods cannot be made: the API refuses them",
    ),
    "no image": (
        why("Created", pods=[pod(0, node="big", state=held("ImagePullBackOff")), pod(1, "Running", "big")]),
        "image",
        "1 of 4 pods cannot start: the image shop/net:1 cannot be had",
    ),
    "no configuration": (
        why("Created", pods=[pod(0, node="big", state=held("CreateContainerConfigError", 'secret "key" not found'))]),
        "configuration",
        '1 of 4 pods cannot start: secret "key" not found',
    ),
    "no volume": (
        why(
            "Created",
            pods=[pod(0, node="big")],
            events=[said("FailedMount", "path /d does not exist", "pod/digits-worker-0")],
        ),
        "volume",
        "1 of 4 pods cannot start: a volume cannot be mounted",
    ),
    "crashing": (
        why("Running", pods=[pod(0, "Running", "big", held("CrashLoopBackOff", "back-off"), restarts=4)]),
        "crashing",
        "the program ends again and again in 1 of 4 pods: digits-worker-0 was started 5 times",
    ),
    "no such claim": (
        why(
            "Created",
            pods=[unplaced(volumes=[JobVolume(persistent_volume_claim=ClaimSource(claim_name="data"))])],
            claims={},
        ),
        "claim-missing",
        '1 of 4 pods wait for the claim "data", which does not exist',
    ),
    "an unbound claim": (
        why(
            "Created",
            pods=[unplaced(volumes=[JobVolume(persistent_volume_claim=ClaimSource(claim_name="data"))])],
            claims={"data": "Pending"},
        ),
        "claim-unbound",
        '1 of 4 pods wait for the claim "data", which has no volume yet (Pending)',
    ),
    "gated": (
        why("Created", pods=[pod(scheduling_gates=[{"name": "kueue.x-k8s.io/admission"}])]),
        "gated",
        "1 of 4 pods wait until kueue.x-k8s.io/admission lets them go",
    ),
    "no scheduler": (
        why("Created", pods=[pod(scheduler_name="volcano")]),
        "no-scheduler",
        "1 of 4 pods wait since 2m, and no scheduler has said anything: volcano may not be running",
    ),
    "no room": (
        why("Created", pods=[unplaced(0), unplaced(1)], nodes=TWO, others=BUSY),
        "scattered-gpus",
        "2 of 4 pods wait for room: each needs 8 GPUs on one node; 9 GPUs are free on 2 nodes, at most 6 on one"
        " (big: 2 held by bert)",
    ),
    "never": (
        why("Created", pods=[unplaced(0, wants={"nvidia.com/gpu": 16})], nodes=TWO, others=BUSY),
        "too-large",
        "1 of 4 pods can never run here: it needs 16 GPUs on one node, and none of 2 nodes can take it: 2 are too small (8 GPUs)",
    ),
    "never, without a GPU": (
        why("Created", pods=[unplaced(0)], nodes=[node("plain", gpus=0)], others=[]),
        "too-large",
        "1 of 4 pods can never run here: it needs 8 GPUs on one node, and the only node cannot take it: it is without GPUs",
    ),
    "too little memory": (
        why("Created", pods=[unplaced(0, wants={"memory": "300Gi", "cpu": "2"})], nodes=TWO, others=[]),
        "too-large",
        "1 of 4 pods can never run here: it needs 2 CPUs and 300 GiB of memory on one node, and none of 2 nodes can take it:"
        " 2 are too small (256 GiB of memory)",
    ),
    "no room, others unseen": (
        why("Created", pods=[unplaced(0)], nodes=TWO, sees_everybody=False),
        "no-room",
        "1 of 4 pods wait for a node: 2 nodes have too few GPUs left",
    ),
    "no nodes": (
        why("Created", pods=[unplaced(0, "no nodes available to schedule pods")], nodes=[], others=[]),
        "no-nodes",
        "1 of 4 pods wait for a node, and there is none",
    ),
    "no node may": (
        why(
            "Created",
            pods=[unplaced(0, node_selector={"disk": "ssd"})],
            nodes=[node("a"), node("b"), node("c", labels={"disk": "ssd"}, unschedulable=True)],
            others=[],
        ),
        "closed-nodes",
        "1 of 4 pods wait for room: it needs 8 GPUs on one node, and nodes that would do are closed (cordoned or not ready)",
    ),
    "nodes unseen": (
        why(
            "Created",
            pods=[unplaced(0, "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {x: }.")],
        ),
        "no-room",
        "1 of 4 pods wait for a node: 1 node has too little cpu left; 2 nodes: had untolerated taint {x: }",
    ),
    "code is fetched first": (
        why(
            "Created",
            pods=[
                pod(
                    node="big",
                    init_container_statuses=[
                        ContainerStatus(name="init-code", state=ContainerState(running=Running()))
                    ],
                )
            ],
        ),
        "starting",
        "1 of 4 pods start, since 2m: init-code runs first",
    ),
    "starting": (
        why("Created", pods=[pod(node="big", state=held("ContainerCreating"))]),
        "starting",
        "1 of 4 pods start, since 2m: containers are being made",
    ),
    "no pods": (why("Created"), "no-pods", "its pods have not been made yet"),
    "again": (why("Restarting"), "no-pods", "its pods are being made again"),
    "running": (
        why("Running", pods=[pod(0, "Running", "big")], status={"startTime": BEGAN, "progress": {"percent": 12.0}}),
        "running",
        "it runs since 2m: 0 of 4 pods are ready, 12% done",
    ),
}


@pytest.mark.parametrize(("reason", "code", "sentence"), REASONS.values(), ids=REASONS)
def test_the_dominant_reason_is_told_in_one_sentence(reason: Reason, code: str, sentence: str) -> None:
    assert (reason.code, reason.sentence) == (code, sentence)
    assert "pod group" not in sentence
    assert "nodes are available" not in str(reason.document())


def test_a_failure_has_its_class_its_rank_and_its_last_words() -> None:
    failure = {"class": "oom", "pod": "digits-worker-1", "node": "big", "exitCode": 137, "reason": "OOMKilled"}
    status = {"startTime": BEGAN, "completionTime": "2027-01-15T08:01:00Z", "failures": [failure]}
    reason = why("Failed", status=status, last_words=LastWords("digits-worker-1", ["epoch 3", "Killed"]))
    assert reason.code == "failed-oom"
    assert reason.sentence == "it has failed after 1m: it ran out of memory with exit code 137 (digits-worker-1 on big)"
    assert reason.numbers == {"class": "oom", "failures": 1, "exitCode": 137}
    assert [(one.about, one.text) for one in reason.evidence] == [
        ("job", "Failed!"),
        ("pod/digits-worker-1", "oom, exit 137, OOMKilled"),
        ("log of digits-worker-1", "epoch 3"),
        ("log of digits-worker-1", "Killed"),
    ]
    assert "raise the memory limit of the container, or make batches smaller" in reason.next_steps


def test_the_last_end_of_a_crashing_program_is_told() -> None:
    crashed = pod(0, "Running", "big", held("CrashLoopBackOff"), restarts=2)
    crashed.status.container_statuses[0].last_state = ContainerState(terminated=Terminated(exit_code=3, reason="Error"))
    reason = why("Running", pods=[crashed], last_words=LastWords("digits-worker-0", ["boom"]))
    assert reason.sentence.endswith("digits-worker-0 was started 3 times, the last time with exit code 3")
    assert reason.numbers["exitCode"] == 3
    assert reason.evidence[-1].text == "boom"


MISSING = LastWords("digits-worker-0", ["Traceback", "ModuleNotFoundError: No module named 'torch'"])


def test_a_module_that_is_not_there_is_named_before_anything_else() -> None:
    failure = {"class": "user", "pod": "digits-worker-0", "exitCode": 1, "reason": "Error"}
    status = {"startTime": BEGAN, "completionTime": "2027-01-15T08:00:01Z", "failures": [failure]}
    reason = why("Failed", status=status, last_words=MISSING, is_here=True)
    assert reason.sentence == (
        "it has failed after 1s: its program found no module torch and failed with exit code 1 (digits-worker-0)"
    )
    assert (reason.code, reason.numbers["module"]) == ("failed-user", "torch")
    assert reason.next_steps[-1] == "corral logs digits"
    again = pod(0, "Running", "big", held("CrashLoopBackOff"), restarts=2)
    crashing = why("Running", pods=[again], last_words=MISSING)
    assert crashing.sentence.endswith("was started 3 times; its program found no module torch")
    assert crashing.next_steps[0].startswith("choose an image that has torch")


def test_numbers_are_numbers() -> None:
    reason, _, _ = REASONS["no room"]
    assert reason.numbers == {"pods": 2, "needed": 8, "free": 6, "together": 1, "node": "big"}
    assert REASONS["over quota"][0].numbers == {
        "quota": "gpus",
        "missing": 2,
        "resource": "requests.nvidia.com/gpu",
        "needed": 4,
        "free": 2,
        "limit": 8,
    }


@pytest.mark.parametrize(
    ("toleration", "may"),
    [
        (Toleration(key="gpu", operator="Exists"), True),
        (Toleration(key="gpu", value="yes"), True),
        (Toleration(key="gpu", value="no"), False),
        (Toleration(operator="Exists"), True),
        (Toleration(key="gpu", value="yes", effect="NoExecute"), False),
        (Toleration(key="cpu", operator="Exists"), False),
    ],
)
def test_a_taint_keeps_pods_away_that_do_not_bear_it(toleration: Toleration, may: bool) -> None:
    tainted = node("a", taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}])
    reason = why("Created", pods=[unplaced(0, tolerations=[toleration])], nodes=[tainted], others=BUSY)
    assert (reason.code == "no-node-allowed") is not may


def test_amounts_are_said_as_people_say_them() -> None:
    nano = 10**9
    assert amount("nvidia.com/gpu", nano) == "1 GPU"
    assert amount("cpu", nano * 3 // 2) == "1.5 CPUs"
    assert amount("memory", 2**29 * nano) == "512 MiB of memory"
    assert amount("rdma/hca", 4 * nano) == "4 rdma/hca"
    assert [some(1, 1), some(2, 2), some(3, 3), some(1, 3)] == [
        "its only pod",
        "both pods",
        "all 3 pods",
        "1 of 3 pods",
    ]
    assert listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
