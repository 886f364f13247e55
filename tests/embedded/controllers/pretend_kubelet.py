"""Plays kubelet for pods that no node runs: says that they run, or how they ended, as a test tells it."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object, is_deleting, key_of
from corral.kinds.well_known import POD
from corral.ports.object_store import AT_ONCE, Patch, Scope
from corral.ports.refusals import ConflictError, InvalidError, NotFoundError


def now() -> str:
    """Returns the present as the API writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def set_status(client: SyncClient, pod: Object, status: Object) -> None:
    """Writes to a pod's status; a pod that has gone is let go."""
    try:
        client.patch(POD, key_of(pod), Patch("merge", {"status": status}), subresource="status")
    except (NotFoundError, ConflictError, InvalidError):
        return


def run(client: SyncClient, pod: Object) -> None:
    """Makes a pod ready."""
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": now()}]
    set_status(client, pod, {"phase": "Running", "conditions": conditions})


def end(client: SyncClient, pod: Object, phase: str, code: int = 0) -> None:
    """Ends a pod's containers."""
    ended = {"terminated": {"exitCode": code, "startedAt": now(), "finishedAt": now()}}
    container: dict[str, Any] = {"name": "main", "image": "any", "imageID": "", "ready": False, "restartCount": 0}
    conditions = [{"type": "Ready", "status": "False", "lastTransitionTime": now()}]
    set_status(
        client, pod, {"phase": phase, "conditions": conditions, "containerStatuses": [{**container, "state": ended}]}
    )


class PretendKubelet:
    """Runs every pod of a namespace as soon as it appears, and lets those go that are being deleted."""

    def __init__(self, client: SyncClient, namespace: str, act: Callable[[SyncClient, Object], None] = run) -> None:
        self._access = client.access
        self._namespace = namespace
        self._act = act
        self._stopped = threading.Event()
        self._seen: set[str] = set()
        self._thread = threading.Thread(target=self._loop, name="pretend-kubelet", daemon=True)

    def __enter__(self) -> "PretendKubelet":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _loop(self) -> None:
        with SyncClient(self._access) as client:
            while not self._stopped.wait(0.05):
                for pod in client.list(POD, Scope(self._namespace)):
                    self._look(client, pod)

    def _look(self, client: SyncClient, pod: Object) -> None:
        if is_deleting(pod):
            try:
                client.delete(POD, key_of(pod), AT_ONCE)
            except (NotFoundError, ConflictError):
                return
        elif pod["metadata"]["uid"] not in self._seen:
            self._seen.add(pod["metadata"]["uid"])
            self._act(client, pod)
