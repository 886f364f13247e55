"""Nodes with GPUs and hands that play their kubelets: pods that are bound run, pods that are deleted fail first and then go.

Every pod that was ever there is remembered by uid, so that a test can say which ones must not have gone, and every look makes sure
that no node has more pods than GPUs.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.errors import CorralError
from corral.kinds.objects import Object, is_deleting
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE, POD
from corral.ports.object_store import AT_ONCE, Patch, Scope
from corral.ports.refusals import ConflictError, NotFoundError

GPU = "nvidia.com/gpu"
PAUSE = 0.03


class Kubelets:
    """The nodes of one namespace; works in a thread of its own."""

    def __init__(self, client: SyncClient, namespace: str, nodes: Mapping[str, int]) -> None:
        self._client = client
        self._namespace = namespace
        self._nodes = dict(nodes)
        self._stop = threading.Event()
        self.troubles: list[str] = []
        """What must never be: GPUs given twice, and whatever kept the hands from working."""

    def work(self) -> None:
        """Plays until it is told to stop."""
        while not self._stop.is_set():
            try:
                self._look()
            except (NotFoundError, ConflictError):
                pass  # somebody was faster
            except CorralError as error:
                self.troubles.append(str(error))
            time.sleep(PAUSE)

    def stop(self) -> None:
        """Ends the work."""
        self._stop.set()

    def _look(self) -> None:
        pods = self._client.list(POD, Scope(self._namespace))
        self._refuse_doubles(pods)
        for pod in pods:
            self._play(pod)

    def _refuse_doubles(self, pods: list[Object]) -> None:
        given: Counter[str] = Counter()
        for pod in pods:
            node = pod["spec"].get("nodeName")
            if node and pod["status"]["phase"] not in ("Succeeded", "Failed"):
                asked = pod["spec"]["containers"][0]["resources"].get("limits", {})
                given[node] += int(asked.get(GPU, 0))
        over = [f"{count} of {self._nodes.get(node)} GPUs of {node}" for node, count in given.items()]
        self.troubles += [
            told for told, node in zip(over, given, strict=True) if given[node] > self._nodes.get(node, 0)
        ]

    def _play(self, pod: Object) -> None:
        key, phase = ObjectKey(self._namespace, pod["metadata"]["name"]), pod["status"]["phase"]
        if is_deleting(pod):
            if phase == "Running":
                self._say(key, pod, "Failed")
            self._client.delete(POD, key, AT_ONCE)
        elif pod["spec"].get("nodeName") and phase == "Pending":
            self._say(key, pod, "Running")

    def _say(self, key: ObjectKey, pod: Object, phase: str) -> None:
        ready = [{"type": "Ready", "status": str(phase == "Running")}]
        body = {"metadata": {"uid": pod["metadata"]["uid"]}, "status": {"phase": phase, "conditions": ready}}
        self._client.patch(POD, key, Patch("strategic", body), subresource="status")


@contextmanager
def kubelets(access: Access, namespace: str, nodes: Mapping[str, int]) -> Iterator[Kubelets]:
    """Registers nodes with so many GPUs and plays them in a thread; fails in the end if something was given twice."""
    with SyncClient(access) as client:
        for name, gpus in nodes.items():
            client.create(NODE, _node(name, gpus, namespace))
            client.patch(NODE, ObjectKey("", name), Patch("merge", {"spec": {"taints": None}}))
        played = Kubelets(client, namespace, nodes)
        thread = threading.Thread(target=played.work)
        thread.start()
        try:
            yield played
        finally:
            played.stop()
            thread.join()
            for name in nodes:
                with suppress(NotFoundError):
                    client.delete(NODE, ObjectKey("", name))
        assert played.troubles == []


def _node(name: str, gpus: int, label: str) -> Object:
    amounts = {"cpu": "64", "memory": "256Gi", "pods": "110", GPU: str(gpus)}
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": now, "lastTransitionTime": now}
    return {
        "metadata": {"name": name, "labels": {"stage": label}},
        "status": {"capacity": amounts, "allocatable": amounts, "conditions": [ready]},
    }
