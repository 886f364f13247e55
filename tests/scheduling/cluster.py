"""What a test of the scheduler on a server is given: nodes of its own, pods of its own, and schedulers that it starts and kills."""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object
from corral.kinds.queues.queue import QUEUE
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.scheduling.names import CHOSEN_DEVICES, GANG, GANG_SIZE
from corral.kinds.well_known import EVENT, NAMESPACE, NODE, POD, SERVICE_ACCOUNT
from corral.placement.certificates.certificate import certificate_in
from corral.placement.certificates.verifier import faults_in_log
from corral.ports.object_store import AT_ONCE, Patch, Scope, WriteOptions
from corral.ports.refusals import AlreadyExistsError, NotFoundError
from tests.training.operator_process import OperatorProcess

T = TypeVar("T")

GPU = "nvidia.com/gpu"
LIMIT = 60.0


class SchedulerProcess(OperatorProcess):
    """`corral scheduler` as a child process."""

    verb = "scheduler"


class Cluster:
    """A server, a namespace, and a label by which nodes and pods of one test find each other."""

    def __init__(self, client: SyncClient, kubeconfig: Path, folder: Path, *, is_real: bool) -> None:
        self.client = client
        self.kubeconfig = kubeconfig
        self.folder = folder
        self.is_real = is_real
        self.token = secrets.token_hex(4)
        self.namespace = f"scheduling-{self.token}"
        self.scheduler_name = f"corral-{self.token}"
        self._nodes: list[str] = []
        self._queues: list[str] = []
        self._logs: list[Path] = []
        self.promised_before = 0
        """Places that the test itself wrote to the ledger: whoever had promised them has the certificates."""

    # --- what there is ---

    def open(self) -> None:
        """Makes the namespace, and the account without which a real server admits no pod."""
        self.client.create(NAMESPACE, {"metadata": {"name": self.namespace}})
        try:
            self.client.create(SERVICE_ACCOUNT, {"metadata": {"name": "default", "namespace": self.namespace}})
        except AlreadyExistsError:
            pass  # its controller was faster

    def close(self) -> None:
        """Takes away what is not in the namespace, and lets that go by itself."""
        for pod in self.pods():
            self.delete(pod["metadata"]["name"])
        for name in self._nodes:
            self.client.delete(NODE, ObjectKey("", name))
        for name in list(self._queues):
            self.remove_queue(name)
        self.client.delete(NAMESPACE, ObjectKey("", self.namespace))

    def node(self, name: str, gpus: int, **metadata: Any) -> str:
        """Registers a node that is ready, and returns its name on the server."""
        full = f"{name}-{self.token}"
        amounts = {"cpu": "64", "memory": "256Gi", "pods": "110", GPU: str(gpus)}
        labels = {"test": self.token, **metadata.pop("labels", {})}
        ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": _stamp(), "lastTransitionTime": _stamp()}
        body = {
            "metadata": {"name": full, "labels": labels, **metadata},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": [ready]},
        }
        self.client.create(NODE, body)
        self.client.patch(NODE, ObjectKey("", full), Patch("merge", {"spec": {"taints": None}}))
        self._nodes.append(full)
        return full

    def pod(self, name: str, gpus: int = 1, **spec: Any) -> Object:
        """Creates a pod that asks for GPUs of the nodes of this test."""
        metadata = {"name": name, "namespace": self.namespace, **spec.pop("metadata", {})}
        limits = {GPU: str(gpus)} if gpus else {}
        given = {
            "schedulerName": self.scheduler_name,
            "nodeSelector": {"test": self.token},
            "containers": [
                {"name": "main", "image": "any", "resources": {"limits": {**limits, **spec.pop("limits", {})}}}
            ],
            "terminationGracePeriodSeconds": 0,
            **spec,
        }
        return self.client.create(POD, {"metadata": metadata, "spec": given})

    def gang(self, name: str, size: int, gpus: int = 1) -> list[str]:
        """Creates the pods of a gang and returns their names."""
        names = [f"{name}-{index}" for index in range(size)]
        for one in names:
            marks = {"labels": {GANG: name}, "annotations": {GANG_SIZE: str(size)}}
            self.pod(one, gpus, metadata=marks)
        return names

    def queue(self, name: str, **spec: Any) -> str:
        """Describes a queue, and returns its name on the server; one that is there is described anew."""
        full = name if name.endswith(self.token) else f"{name}-{self.token}"
        body = {"apiVersion": QUEUE.api_version, "kind": QUEUE.kind, "metadata": {"name": full}, "spec": spec}
        options = WriteOptions(manager="tests", force=True)
        self.client.patch(QUEUE, ObjectKey("", full), Patch("apply", body), options=options)
        if full not in self._queues:
            self._queues.append(full)
        return full

    def remove_queue(self, full: str) -> None:
        """Takes a queue away."""
        self.client.delete(QUEUE, ObjectKey("", full))
        self._queues.remove(full)

    def standing(self, queue: str) -> Object:
        """Returns what a queue says of itself."""
        found: Object = self.client.get(QUEUE, ObjectKey("", queue)).get("status") or {}
        return found

    def delete(self, name: str) -> None:
        """Takes a pod away at once."""
        try:
            self.client.delete(POD, ObjectKey(self.namespace, name), AT_ONCE)
        except NotFoundError:
            pass  # it is gone already

    # --- what is seen ---

    def pods(self) -> list[Object]:
        """Returns all pods."""
        return self.client.list(POD, Scope(self.namespace))

    def key(self, name: str) -> ObjectKey:
        """Returns where an object of the namespace is."""
        return ObjectKey(self.namespace, name)

    def get(self, resource: ApiResource, name: str) -> Object:
        """Returns an object of the namespace."""
        return self.client.get(resource, self.key(name))

    def places(self) -> dict[str, str]:
        """Returns where each pod is bound; those that wait are left out."""
        return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in self.pods() if pod["spec"].get("nodeName")}

    def bound_of(self, gang: Sequence[str]) -> int:
        """Returns how many pods of a gang are bound."""
        return len(self.places().keys() & set(gang))

    def condition(self, name: str) -> Object:
        """Returns what a pod says about its place."""
        conditions = self.get(POD, name)["status"].get("conditions") or []
        return next((one for one in conditions if one["type"] == "PodScheduled"), {})

    def events(self, reason: str) -> list[Object]:
        """Returns the events of a reason."""
        return [one for one in self.client.list(EVENT, Scope(self.namespace)) if one["reason"] == reason]

    def doubles(self) -> list[str]:
        """Returns what was given twice: GPUs of a node by number, and GPUs by index."""
        given: Counter[str] = Counter()
        devices: Counter[tuple[str, str]] = Counter()
        for pod in self.pods():
            node = pod["spec"].get("nodeName")
            if not node:
                continue
            given[node] += int(pod["spec"]["containers"][0]["resources"].get("limits", {}).get(GPU, 0))
            said = (pod["metadata"].get("annotations") or {}).get(CHOSEN_DEVICES, "")
            devices.update((node, index) for index in said.split(",") if index)
        sizes = {node: int(self._size(node)) for node in given}
        twice = [f"GPU {index} of {node}" for (node, index), count in devices.items() if count > 1]
        return twice + [
            f"{count} of {sizes[node]} GPUs of {node}" for node, count in given.items() if count > sizes[node]
        ]

    def _size(self, node: str) -> str:
        return str(self.client.get(NODE, ObjectKey("", node))["status"]["allocatable"][GPU])

    def wait(self, look: Callable[[], T], until: Callable[[T], object] = bool, within: float = LIMIT) -> T:
        """Returns what `look` sees as soon as it is as it should be; fails with the last sight when time is up."""
        deadline = time.monotonic() + within
        while True:
            seen = look()
            if until(seen):
                return seen
            assert time.monotonic() < deadline, f"not within {within:g} s; last seen: {seen}"
            time.sleep(0.03)

    # --- who schedules ---

    def scheduler(self, *options: str) -> SchedulerProcess:
        """Returns a scheduler for the pods of this test, which is not started yet; its certificates are verified in the end."""
        log = self.folder / f"certificates-{len(self._logs)}.jsonl"
        self._logs.append(log)
        words = ("--name", self.scheduler_name, "--namespace", self.namespace, "--certificates", str(log), *options)
        return SchedulerProcess(self.kubeconfig, self.folder / "scheduler.log", words)

    def unfounded(self) -> list[str]:
        """Returns what the verifier finds wrong with what schedulers wrote down; each scheduler has a log of its own."""
        logs = (log.read_text().splitlines() for log in self._logs if log.exists())
        return [fault for lines in logs for fault in faults_in_log(map(certificate_in, lines))]

    def certified(self) -> int:
        """Returns how many places were written down."""
        logs = (log.read_text().splitlines() for log in self._logs if log.exists())
        return sum(len(certificate_in(line).given) for lines in logs for line in lines)


@contextmanager
def cluster_on(access: Access, kubeconfig: Path, folder: Path, *, is_real: bool) -> Iterator[Cluster]:
    """Yields a cluster on a server."""
    with SyncClient(access) as client:
        cluster = Cluster(client, kubeconfig, folder, is_real=is_real)
        cluster.open()
        try:
            yield cluster
        finally:
            cluster.close()
            if (folder / "scheduler.log").exists():
                print((folder / "scheduler.log").read_text()[-6000:])


def _stamp() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
