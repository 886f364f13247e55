"""When what was seen of pods: a watch on a connection and a thread of its own, which notes the first time of each state."""

import threading
from time import monotonic_ns
from typing import Any, Self

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.errors import RetryError
from corral.kinds.well_known import POD
from corral.ports.object_store import Change, Scope, Start
from tools.bench.node.manifests import NAMESPACE

STATES = ("made", "bound", "running")


class Sightings:
    """Follows all pods from now on, until it is told to stop: a watch that nobody answers takes a whole processor."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._times: dict[tuple[str, str], int] = {}
        self._begun = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="sightings", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._begun.wait(30.0)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()

    def time_of(self, pod: str, state: str) -> int | None:
        """Returns when a pod was first seen in a state, in nanoseconds of the monotonic clock."""
        return self._times.get((pod, state))

    def count(self, prefix: str, state: str) -> int:
        """Returns how many pods whose names begin so were seen in a state."""
        return sum(1 for pod, seen in list(self._times) if seen == state and pod.startswith(prefix))

    def last(self, prefix: str, state: str) -> int:
        """Returns when the last of them came into that state."""
        return max(at for (pod, seen), at in list(self._times.items()) if seen == state and pod.startswith(prefix))

    def _follow(self) -> None:
        while not self._stopped.is_set():
            try:
                with SyncClient(self._access) as client:
                    start = Start(initial_events=True, timeout_seconds=3600)
                    for changes in client.watch(POD, Scope(namespace=NAMESPACE), start, dict[str, Any]):
                        now = monotonic_ns()
                        self._begun.set()
                        for change in changes:
                            self._take(change, now)
            except RetryError:
                self._stopped.wait(0.1)

    def _take(self, change: Change[dict[str, Any]], now: int) -> None:
        pod = change.object
        if pod is None or change.verb == "DELETED":
            return
        name = pod["metadata"]["name"]
        self._times.setdefault((name, "made"), now)
        if pod["spec"].get("nodeName"):
            self._times.setdefault((name, "bound"), now)
        if (pod.get("status") or {}).get("phase") not in (None, "Pending"):
            self._times.setdefault((name, "running"), now)
