"""A scheduler that has exactly the rights it is said to need: it is never refused, and it uses every one of them.

It works on a real control plane as an account with a role made from `RIGHTS`, through a proxy that writes down its calls, while
jobs are preempted, moved and resized, groups and queues are told how they stand, and an earlier promise is taken back.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.control.scheduling.rights import RIGHTS
from corral.kinds.objects import Object
from corral.kinds.queues.queue import QUEUE
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.scheduling.names import CHECKPOINTS
from corral.kinds.well_known import (
    CONFIG_MAP,
    CUSTOM_RESOURCE_DEFINITION,
    EVENT,
    JOB,
    NAMESPACE,
    NODE,
    PERSISTENT_VOLUME_CLAIM,
    POD,
    SERVICE_ACCOUNT,
    STORAGE_CLASS,
)
from corral.ports.object_store import Patch
from corral.testing.fault_proxy import FaultProxy
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.scheduling.cluster import SchedulerProcess
from tests.training.ground import Ground
from tests.training.manifests import role, template
from tests.training.operator.asked_rights import Use, granted, use_of
from tests.training.restricted_way import first_creations_lose_their_answers, restricted_way
from tests.training.scheduler.kubelets import GPU, kubelets
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

VOLCANO_GROUP = ApiResource("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups")
VOLCANO_QUEUE = ApiResource("scheduling.volcano.sh", "v1beta1", "Queue", "queues", namespaced=False)
PLUGINS_GROUP = ApiResource("scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups")
QUICK = ("--placements-per-move", "1", "--calm", "2", "--rest", "0")
OURS: Object = {"schedulerName": "corral-scheduler", "terminationGracePeriodSeconds": 0}


@pytest.fixture
def stage(real_training_ground: Ground) -> Iterator[Stage]:
    """A namespace of the test's own on a real server, whose operator makes gangs for our scheduler."""
    real_training_ground.operator(("--gang-scheduler-name", "corral-scheduler"))
    namespace = f"rights-{secrets.token_hex(4)}"
    with SyncClient(real_training_ground.access) as client:
        client.create(NAMESPACE, {"metadata": {"name": namespace}})
        stage = Stage(client, namespace, is_real=True, warnings=[])
        stage.wait(lambda: stage.find(SERVICE_ACCOUNT, "default"))
        with volcano_queues(stage):
            yield stage
        client.delete(NAMESPACE, ObjectKey("", namespace))


@contextmanager
def volcano_queues(stage: Stage) -> Iterator[None]:
    """Installs the kind of Volcano's queues, as Volcano would."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1beta1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": anything, "status": anything}}},
    }
    names = {"kind": "Queue", "listKind": "QueueList", "plural": "queues", "singular": "queue"}
    spec = {"group": VOLCANO_QUEUE.group, "scope": "Cluster", "names": names, "versions": [version]}
    title = "queues.scheduling.volcano.sh"
    told = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": title}}
    stage.client.create(CUSTOM_RESOURCE_DEFINITION, {**told, "spec": spec})
    yield
    stage.client.delete(CUSTOM_RESOURCE_DEFINITION, ObjectKey("", title))


@pytest.fixture
def proxy(real_training_ground: Ground, stage: Stage) -> Iterator[FaultProxy]:
    """The way of an account with the scheduler's rights to the server."""
    with restricted_way(real_training_ground.access, stage, RIGHTS) as proxy:
        yield proxy


@pytest.mark.timeout(400)
def test_it_is_never_refused_and_uses_every_right(
    proxy: FaultProxy, stage: Stage, real_training_ground: Ground, tmp_path: Path
) -> None:
    kubeconfig, log = written_kubeconfig(proxy.access(token="any"), tmp_path / "kubeconfig"), tmp_path / "scheduler.log"
    options = ("--leader-elect", "--name", "corral-scheduler", "--namespace", stage.namespace, *QUICK)
    nodes = {f"{name}-{stage.namespace}": 4 for name in "ab"}
    begin_promise(stage)
    try:
        with (
            kubelets(real_training_ground.access, stage.namespace, nodes),
            queue(stage),
            SchedulerProcess(kubeconfig, log, options),
        ):
            stage.wait(lambda: "corral.dev/placement-taken-back" in annotations(stage, "promised"))
            stage.delete(POD, "promised")
            play_groups(stage)
            play_resizing(stage)
            play_moves(stage)
            play_claims(stage)
            proxy.fault_for = first_creations_lose_their_answers()
            pod(stage, "again", {})
            wait_running(stage, "again")
            play_the_same_again(stage, f"a-{stage.namespace}")
        with SchedulerProcess(kubeconfig, log, (*options, "--shard", "other")):
            stage.wait(lambda: stage.find(CONFIG_MAP, "corral-scheduler-ledger-other"))
    finally:
        print(log.read_text()[-6000:])
    answers = [(use_of(seen), code) for seen, code in proxy.answers]
    assert [(use, code) for use, code in answers if code == 403] == []
    assert "forbidden" not in log.read_text().lower()
    used = {use for use in map(use_of, proxy.seen) if use is not None}
    assert used - granted(RIGHTS) == set(), "asked for without a right"
    jobs = {one for one in granted(RIGHTS) if one.group == "kubeflow.org" and one.resource != "pytorchjobs"}
    assert granted(RIGHTS) - used == jobs, "held without a use; all kinds of jobs are treated as one of them is"
    assert Use("kubeflow.org", "pytorchjobs", "patch") in used


def annotations(stage: Stage, name: str) -> dict[str, str]:
    return (stage.find(POD, name) or {"metadata": {}})["metadata"].get("annotations") or {}


def begin_promise(stage: Stage) -> None:
    """Makes a pod to which somebody promised a place on a node that is gone."""
    made = pod(stage, "promised", {}, nodeSelector={"nobody": "has"})
    row = f'["{made["metadata"]["uid"]}", "{stage.namespace}/promised", "gone", [0], "", ""]'
    stage.make(CONFIG_MAP, "corral-scheduler-ledger", data={"epoch": "7", "decisions": f"[{row}]"})


@contextmanager
def queue(stage: Stage) -> Iterator[None]:
    """Describes the queue `default`, which gangs are in that name none, and takes it away again."""
    told = {"apiVersion": QUEUE.api_version, "kind": QUEUE.kind, "metadata": {"name": stage.namespace}, "spec": {}}
    stage.client.create(QUEUE, told)
    yield
    stage.client.delete(QUEUE, ObjectKey("", stage.namespace))


def pod(stage: Stage, name: str, metadata: Object, *, gpus: int = 1, **spec: Any) -> Object:
    """Creates a pod that asks for GPUs."""
    container = {"name": "main", "image": "any", "resources": {"limits": {GPU: str(gpus)}}}
    spec = {"containers": [container], "nodeSelector": {"stage": stage.namespace}, **OURS, **spec}
    return stage.make(POD, name, metadata=metadata, spec=spec)


def wait_running(stage: Stage, *names: str) -> None:
    """Returns when pods run."""
    for name in names:
        stage.wait(lambda name=name: (stage.find(POD, name) or {}).get("status", {}).get("phase") == "Running")  # type: ignore[misc]


def play_groups(stage: Stage) -> None:
    """Lets gangs of both dialects be told how far they are, and a queue."""
    for resource, name in ((VOLCANO_GROUP, "of-volcano"), (PLUGINS_GROUP, "of-plugins")):
        stage.make(resource, name, spec={"minMember": 1})
    pod(stage, "first", {"annotations": {"scheduling.k8s.io/group-name": "of-volcano"}})
    pod(stage, "second", {"labels": {"scheduling.x-k8s.io/pod-group": "of-plugins"}})
    pod(stage, "third", {"labels": {"corral.dev/queue": stage.namespace}})
    wait_running(stage, "first", "second", "third")
    for resource, name in ((VOLCANO_GROUP, "of-volcano"), (PLUGINS_GROUP, "of-plugins")):
        stage.wait(lambda resource=resource, name=name: stage.get(resource, name).get("status"))  # type: ignore[misc]
    stage.wait(lambda: stage.client.get(QUEUE, ObjectKey("", stage.namespace)).get("status"))
    for name in ("first", "second", "third"):
        stage.delete(POD, name)
        stage.wait_gone(POD, name)


def job_template(stage: Stage, gpus: int) -> Object:
    spec: Object = {"nodeSelector": {"stage": stage.namespace}, **OURS}
    return template("PyTorchJob", spec=spec, resources={"limits": {GPU: str(gpus)}})


def play_resizing(stage: Stage) -> None:
    """Lets an elastic job shrink for another one, which must go for a more important one."""
    policy = {"minReplicas": 2, "maxReplicas": 8, "rdzvBackend": "c10d"}
    workers = role("PyTorchJob", 8, pod=job_template(stage, 1))
    job = stage.submit("PyTorchJob", "elastic", roles={"Worker": workers}, elasticPolicy=policy)
    wait_running(stage, "elastic-worker-7")
    pod(stage, "waits", {}, gpus=2)
    wait_running(stage, "waits")
    stage.delete(POD, "waits")
    job.delete()
    stage.wait_gone(POD, "elastic-worker-0")
    pod(stage, "victim", {}, gpus=4)
    pod(stage, "other", {}, gpus=4, priorityClassName="system-cluster-critical")
    wait_running(stage, "victim", "other")
    pod(stage, "urgent", {}, gpus=4, priorityClassName="system-cluster-critical")
    wait_running(stage, "urgent")
    for name in ("urgent", "other"):
        stage.delete(POD, name)
        stage.wait_gone(POD, name)


def play_moves(stage: Stage) -> None:
    """Lets a Job, which goes on from checkpoints, move for a larger pod."""
    for name in ("left", "right"):
        pod(stage, name, {}, gpus=3)
        wait_running(stage, name)
    container = {"name": "main", "image": "any", "resources": {"limits": {GPU: "1"}}}
    spec = {"containers": [container], "restartPolicy": "Never", "nodeSelector": {"stage": stage.namespace}, **OURS}
    marks = {"annotations": {CHECKPOINTS: "true"}}
    for name in ("here", "there"):
        stage.make(JOB, name, spec={"template": {"metadata": marks, "spec": spec}})
        stage.wait(lambda name=name: running_of(stage, name))  # type: ignore[misc]
    for name in ("left", "right"):
        stage.delete(POD, name)
        stage.wait_gone(POD, name)
    pod(stage, "large", {}, gpus=4)
    wait_running(stage, "large")
    stage.wait(lambda: running_of(stage, "here") and running_of(stage, "there"))
    stage.client.patch(JOB, ObjectKey(stage.namespace, "here"), Patch("merge", {"spec": {"suspend": True}}))
    stage.wait(lambda: not running_of(stage, "here"))


def play_claims(stage: Stage) -> None:
    """Lets a volume be made where its first pod goes."""
    kind = f"later-{stage.namespace}"
    told: Object = {"provisioner": "example.com/disks", "volumeBindingMode": "WaitForFirstConsumer"}
    stage.client.create(STORAGE_CLASS, {"metadata": {"name": kind}, **told})
    try:
        amounts = {"requests": {"storage": "1Gi"}}
        spec = {"storageClassName": kind, "accessModes": ["ReadWriteOnce"], "resources": amounts}
        stage.make(PERSISTENT_VOLUME_CLAIM, "data", spec=spec)
        pod(stage, "reads", {}, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
        stage.wait(lambda: (stage.find(POD, "reads") or {"spec": {}})["spec"].get("nodeName"))
        stage.delete(POD, "reads")
    finally:
        stage.client.delete(STORAGE_CLASS, ObjectKey("", kind))


def play_the_same_again(stage: Stage, node: str) -> None:
    """Lets a pod hear the same as before: what is told a second time is counted."""
    pod(stage, "too-large", {}, gpus=64)
    first = stage.wait(lambda: why(stage))
    for is_closed in (True, False):
        stage.client.patch(NODE, ObjectKey("", node), Patch("merge", {"spec": {"unschedulable": is_closed}}))
        stage.wait(lambda is_closed=is_closed: (why(stage) != first) is is_closed)  # type: ignore[misc]
    stage.wait(lambda: [one for one in stage.all(EVENT) if one.get("count", 1) > 1])


def why(stage: Stage) -> str:
    """Returns what a pod says about its place."""
    told = (stage.get(POD, "too-large").get("status") or {}).get("conditions") or []
    return next((str(one.get("message", "")) for one in told if one["type"] == "PodScheduled"), "")


def running_of(stage: Stage, job: str) -> bool:
    """Whether the pod of a Job runs."""
    pods = [one for one in stage.all(POD) if one["metadata"]["name"].startswith(f"{job}-")]
    return any(one["status"]["phase"] == "Running" for one in pods)
