"""A cluster in a moment of its life, written object by object: nobody changes it, so what is shown of it stays the same.

Three nodes (one with a GPU that is ill, one without GPUs) and six jobs in `default`: one that runs, one that waits for an
image and for room, one that has succeeded, one that failed, one that a queue holds back and one that was suspended. Of four queues
one is so new that nobody has told of it. The namespace `loud` has a job that prints lines, on a hollow node. All times of a job are counted from that of its
creation.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.queues.queue import QUEUE
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import EVENT, NAMESPACE, NODE, PERSISTENT_VOLUME_CLAIM, POD
from corral.ports.object_store import Patch
from corral.reconcile.moments import seconds_of, stamp_of

TRAINING = "training.kubeflow.org/"
TF_JOB, PYTORCH_JOB, MPI_JOB = (
    ApiResource("kubeflow.org", "v1", kind, kind.lower() + "s") for kind in ("TFJob", "PyTorchJob", "MPIJob")
)
CONTAINERS = {"TFJob": "tensorflow", "PyTorchJob": "pytorch", "MPIJob": "mpi"}
MAPS = {"TFJob": "tfReplicaSpecs", "PyTorchJob": "pytorchReplicaSpecs", "MPIJob": "mpiReplicaSpecs"}
LONG = "bert-large-pretraining-with-a-long-name"


class Place(NamedTuple):
    """One pod of a job: where it is and how it is."""

    role: str
    ordinal: int
    node: str = ""
    phase: str = "Running"
    waiting: Mapping[str, str] | None = None
    exit_code: int | None = None
    reason: str = ""
    conditions: Sequence[Mapping[str, str]] = ()


class Said(NamedTuple):
    """One event."""

    level: str
    reason: str
    message: str
    after: int
    times: int = 1


class Scene:
    """Writes a cluster."""

    def __init__(self, client: SyncClient) -> None:
        self._client = client
        self._begin = time.time()

    def write(self) -> None:
        """Writes everything."""
        for name, ip, gpus, good in (
            ("node-a", "10.0.0.1", 8, 8),
            ("node-b", "10.0.0.2", 8, 7),
            ("node-c", "10.0.0.3", 0, 0),
        ):
            self._node(name, ip, gpus, good)
        self._claim("imagenet", "The images, as TFRecords")
        self._queues()
        # The newest job is shown first, and of two of one second that whose name is first: so the last name comes first here.
        self._held_back("tuning")
        self._running()
        self._suspended("paused")
        self._succeeded("mpi-dist")
        self._failed("digits")
        self._waiting()

    def _running(self) -> None:
        progress = {"step": 1200, "total": 9600, "percent": 12.5, "secondsLeft": 5400, "metrics": {"loss": 0.6931}}
        status = {"progress": progress, "replicaStatuses": {"Master": {"active": 1}, "Worker": {"active": 3}}}
        uid = self._job(
            PYTORCH_JOB, "resnet", {"Master": 1, "Worker": 3}, gpus=2, said=("Created", "Running"), **status
        )
        self._pods("PyTorchJob", "resnet", uid, 2, Place("master", 0, "node-a"))
        for index, node in enumerate(("node-a", "node-b", "node-b")):
            self._pods("PyTorchJob", "resnet", uid, 2, Place("worker", index, node))

    def _waiting(self) -> None:
        uid = self._job(TF_JOB, LONG, {"PS": 1, "Worker": 2}, gpus=8, said=("Created",))
        pull = {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "registry.example.com/bert:nightly"'}
        room = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": "0/3 nodes are available: 1 node has no GPU, 2 nodes have too few free GPUs.",
        }
        self._pods("TFJob", LONG, uid, 0, Place("ps", 0, "node-c", "Pending", waiting=pull))
        self._pods("TFJob", LONG, uid, 8, Place("worker", 0, "", "Pending", conditions=[room]))
        self._pods("TFJob", LONG, uid, 8, Place("worker", 1, "", "Pending", conditions=[room]))
        self._event("TFJob", LONG, uid, Said("Normal", "SuccessfulCreatePod", f"Created pod: {LONG}-ps-0", 2))
        self._event("Pod", f"{LONG}-worker-0", "", Said("Warning", "FailedScheduling", room["message"], 30))
        told = 'Failed to pull image "registry.example.com/bert:nightly": not found'
        self._event("Pod", f"{LONG}-ps-0", "", Said("Warning", "Failed", told, 40, times=7))

    def _succeeded(self, name: str) -> None:
        status = {"replicaStatuses": {"Launcher": {"succeeded": 1}}}
        said = ("Created", "Running", "Succeeded")
        uid = self._job(MPI_JOB, name, {"Launcher": 1, "Worker": 2}, gpus=1, said=said, ended=192, **status)
        self._pods("MPIJob", name, uid, 0, Place("launcher", 0, "node-c", "Succeeded", exit_code=0))

    def _failed(self, name: str) -> None:
        failure = {
            "class": "user",
            "time": self._stamp(65),
            "pod": f"{name}-worker-0",
            "node": "node-a",
            "exitCode": 1,
            "reason": "Error",
            "message": "ValueError: shapes (64,10) and (64,12) do not match",
            "role": "Worker",
            "index": 0,
        }
        status = {
            "failures": [failure],
            "replicaStatuses": {"Master": {"failed": 0, "active": 0}, "Worker": {"failed": 1}},
        }
        said = ("Created", "Running", "Failed")
        uid = self._job(PYTORCH_JOB, name, {"Master": 1, "Worker": 1}, gpus=1, said=said, ended=66, **status)
        self._pods("PyTorchJob", name, uid, 1, Place("master", 0, "node-a", "Succeeded", exit_code=0))
        self._pods("PyTorchJob", name, uid, 1, Place("worker", 0, "node-a", "Failed", exit_code=1, reason="Error"))

    def _held_back(self, name: str) -> None:
        held = {"scheduling.x-k8s.io/suspend": "true"}
        self._job(PYTORCH_JOB, name, {"Master": 1}, gpus=4, said=("Created",), annotations=held)

    def _suspended(self, name: str) -> None:
        self._job(PYTORCH_JOB, name, {"Master": 1}, gpus=1, said=("Created", "Suspended"), suspend=True)

    def loud(self) -> None:
        """Writes the job that prints lines, for a hollow node to play."""
        self._create(NAMESPACE, {"metadata": {"name": "loud"}})
        part = '{"seconds":0.1,"lines":["rank {pod} begins","loss 0.5","\\u001b[31mdone\\u001b[0m"]}'
        told = {"hollow.corral.dev/part": part}
        said = ("Created", "Running", "Succeeded")
        uid = self._job(PYTORCH_JOB, "talks", {"Master": 1, "Worker": 1}, gpus=0, said=said, ended=5, namespace="loud")
        for place in (Place("master", 0, "hollow-node"), Place("worker", 0, "hollow-node")):
            self._create(POD, self._pod("PyTorchJob", "talks", uid, 0, place, annotations=told, namespace="loud"))

    # --- objects ---

    def _job(
        self, resource: ApiResource, name: str, roles: Mapping[str, int], *, gpus: int, said: Sequence[str], **more: Any
    ) -> str:
        annotations, namespace = more.pop("annotations", {}), more.pop("namespace", "default")
        policy = {"suspend": True} if more.pop("suspend", False) else {}
        specs = {
            role: _replicas(resource.kind, count, 0 if role in ("Launcher", "PS") else gpus)
            for role, count in roles.items()
        }
        body = {
            "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
            "spec": {"runPolicy": policy, MAPS[resource.kind]: specs},
        }
        made = self._create(resource, body)
        self._begin = seconds_of(made["metadata"]["creationTimestamp"]) or self._begin
        ended = more.pop("ended", None)
        times = {"startTime": self._stamp(0)} if "Running" in said else {}
        if ended is not None:
            times["completionTime"] = self._stamp(ended)
        conditions = [self._condition(word, index == len(said) - 1, ended) for index, word in enumerate(said)]
        self._status(resource, name, {"conditions": conditions, **times, **more}, namespace)
        return str(made["metadata"]["uid"])

    def _condition(self, word: str, holds: bool, ended: int | None) -> dict[str, str]:
        moment = self._stamp(ended or 0) if word in ("Succeeded", "Failed") else self._stamp(0)
        return {
            "type": word,
            "status": "True" if holds or word == "Created" else "False",
            "reason": f"Job{word}",
            "message": f"The job is {word.lower()}.",
            "lastTransitionTime": moment,
            "lastUpdateTime": moment,
        }

    def _pods(self, kind: str, job: str, uid: str, gpus: int, place: Place) -> None:
        body = self._pod(kind, job, uid, gpus, place)
        self._create(POD, body)
        self._status(POD, body["metadata"]["name"], self._pod_status(kind, place))

    def _pod(self, kind: str, job: str, uid: str, gpus: int, place: Place, **more: Any) -> dict[str, Any]:
        labels = {
            f"{TRAINING}job-name": job,
            f"{TRAINING}replica-type": place.role,
            f"{TRAINING}replica-index": str(place.ordinal),
            f"{TRAINING}operator-name": f"{kind.lower()}-controller",
        }
        owner = {"apiVersion": "kubeflow.org/v1", "kind": kind, "name": job, "uid": uid, "controller": True}
        name = f"{job}-{place.role}-{place.ordinal}" if place.role != "launcher" else f"{job}-launcher"
        metadata = {"name": name, "namespace": "default", "labels": labels, "ownerReferences": [owner], **more}
        spec = {"restartPolicy": "Never", "containers": [_container(kind, gpus)]}
        return {"metadata": metadata, "spec": {**spec, **({"nodeName": place.node} if place.node else {})}}

    def _pod_status(self, kind: str, place: Place) -> dict[str, Any]:
        ready = {"type": "Ready", "status": "True" if place.phase == "Running" else "False"}
        status: dict[str, Any] = {"phase": place.phase, "conditions": [*place.conditions, ready]}
        if place.node:
            status |= {"hostIP": f"10.0.0.{'abc'.index(place.node[-1]) + 1}", "startTime": self._stamp(0)}
            status["containerStatuses"] = [self._container_status(kind, place)]
        return status

    def _container_status(self, kind: str, place: Place) -> dict[str, Any]:
        if place.waiting is not None:
            state: dict[str, Any] = {"waiting": dict(place.waiting)}
        elif place.exit_code is not None:
            end = {"startedAt": self._stamp(1), "finishedAt": self._stamp(65), "exitCode": place.exit_code}
            state = {"terminated": {**end, "reason": place.reason or "Completed"}}
        else:
            state = {"running": {"startedAt": self._stamp(1)}}
        image = {"name": CONTAINERS[kind], "image": "repo/train:1", "imageID": ""}
        return {**image, "ready": place.phase == "Running", "restartCount": 0, "state": state}

    def _node(self, name: str, ip: str, gpus: int, good: int) -> None:
        self._create(NODE, {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}})
        room = {"cpu": "32", "memory": "256Gi", "pods": "110"}
        status = {
            "addresses": [{"type": "InternalIP", "address": ip}, {"type": "Hostname", "address": name}],
            "capacity": {**room, **({"nvidia.com/gpu": str(gpus)} if gpus else {})},
            "allocatable": {**room, **({"nvidia.com/gpu": str(good)} if gpus else {})},
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}],
        }
        self._status(NODE, name, status, "")

    def _claim(self, name: str, about: str) -> None:
        metadata = {"name": name, "namespace": "default", "annotations": {"description": about, "owner": "vision"}}
        spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Ti"}}}
        self._create(PERSISTENT_VOLUME_CLAIM, {"metadata": metadata, "spec": spec})
        self._status(PERSISTENT_VOLUME_CLAIM, name, {"phase": "Bound", "accessModes": ["ReadWriteMany"]})

    def _queues(self) -> None:
        gpus = "nvidia.com/gpu"
        served = {"type": "Ready", "status": "True", "reason": "Served"}
        lost = {"type": "Ready", "status": "False", "reason": "ParentMissing", "message": "there is no queue north"}
        specs: dict[str, dict[str, Any]] = {
            "institute": {"guarantee": {gpus: 8, "memory": "512Gi"}, "limit": {gpus: 12}},
            "vision": {"parent": "institute", "guarantee": {gpus: 4}, "weight": 2},
            "audio": {"parent": "institute"},
            "guests": {"parent": "north"},
        }
        for name, spec in specs.items():
            self._create(QUEUE, {"metadata": {"name": name}, "spec": spec})
        counts = {"running": 0, "waiting": 0, "conditions": [served]}
        self._status(QUEUE, "institute", {**counts, "used": {gpus: "8", "memory": "64Gi"}}, "")
        vision = {"used": {gpus: "8", "memory": "64Gi"}, "wanted": {gpus: "16"}, "running": 1, "waiting": 1}
        self._status(QUEUE, "vision", {**counts, **vision}, "")
        self._status(QUEUE, "guests", {**counts, "conditions": [lost]}, "")

    def _event(self, kind: str, name: str, uid: str, said: Said) -> None:
        about = {"kind": kind, "name": name, "namespace": "default", "uid": uid or self._uid(name)}
        body = {
            "metadata": {"name": f"{name}.{said.after}", "namespace": "default"},
            "involvedObject": about,
            "reason": said.reason,
            "message": said.message,
            "type": said.level,
            "count": said.times,
            "source": {"component": "scene"},
            "firstTimestamp": self._stamp(said.after),
            "lastTimestamp": self._stamp(said.after),
        }
        self._create(EVENT, body)

    def _uid(self, pod: str) -> str:
        return str(self._client.get(POD, ObjectKey("default", pod))["metadata"]["uid"])

    def _create(self, resource: ApiResource, body: dict[str, Any]) -> dict[str, Any]:
        return self._client.create(resource, {"apiVersion": resource.api_version, "kind": resource.kind, **body})

    def _status(self, resource: ApiResource, name: str, status: Mapping[str, Any], namespace: str = "default") -> None:
        patch = Patch("merge", {"status": dict(status)})
        self._client.patch(resource, ObjectKey(namespace, name), patch, subresource="status")

    def _stamp(self, after: float) -> str:
        return stamp_of(self._begin + after)


def _replicas(kind: str, count: int, gpus: int) -> dict[str, Any]:
    return {"replicas": count, "template": {"spec": {"containers": [_container(kind, gpus)]}}}


def _container(kind: str, gpus: int) -> dict[str, Any]:
    limits = {"resources": {"limits": {"nvidia.com/gpu": str(gpus)}}} if gpus else {}
    return {"name": CONTAINERS[kind], "image": "repo/train:1", **limits}
