"""Asking what is used: the cluster's metrics where there are any, else each node for its summary."""

import queue
import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

from corral.control.desk.naming.finding import ignored
from corral.control.desk.session import Session
from corral.control.desk.top.usage import (
    NOTHING,
    Usage,
    Usages,
    has_rates,
    of_node_metrics,
    of_pod_metrics,
    of_summary,
)
from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import NODE
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, NotFoundError

NODE_METRICS: Final = ApiResource("metrics.k8s.io", "v1beta1", "NodeMetrics", "nodes", namespaced=False)
POD_METRICS: Final = ApiResource("metrics.k8s.io", "v1beta1", "PodMetrics", "pods")
SUMMARY: Final = "proxy/stats/summary"
BETWEEN_LOOKS: Final = 1.0
"""How long processors are watched where a node tells only what was used so far."""
_AT_ONCE: Final = 8


class Meter:
    """Measures one API again and again; the look before counts, so that only the first has to wait."""

    def __init__(self, session: Session, *, on_note: Callable[[str], None] = ignored) -> None:
        self._session = session
        self._on_note = on_note
        self._before: dict[str, Object] = {}
        self._is_served = True

    def nodes(self, names: Iterable[str]) -> Usages:
        """Returns what these nodes use."""
        if self._is_served:
            try:
                return Usages(of_node_metrics(self._session.store.list(NODE_METRICS)), {})
            except (NotFoundError, ForbiddenError):
                self._is_served = False
        return self._by_summaries(names)

    def pods(self, namespace: str, nodes: Iterable[str]) -> Usages:
        """Returns what the pods of a namespace ("" is all) use; these nodes run them."""
        if self._is_served:
            try:
                return Usages({}, of_pod_metrics(self._session.store.list(POD_METRICS, Scope(namespace))))
            except (NotFoundError, ForbiddenError):
                self._is_served = False
        return self._by_summaries(nodes)

    def _by_summaries(self, names: Iterable[str]) -> Usages:
        wanted = sorted(set(names))
        before = {name: look for name, look in self._before.items() if name in wanted}
        looks = self._looks(wanted)
        if not before and any(not has_rates(look) for look in looks.values()):
            time.sleep(BETWEEN_LOOKS)
            before, looks = looks, self._looks(list(looks))
        self._before = looks
        found = [of_summary(look, before.get(name)) for name, look in looks.items()]
        nodes: dict[str, Usage] = {name: usage for one in found for name, usage in one.nodes.items()}
        pods: dict[ObjectKey, Usage] = {key: usage for one in found for key, usage in one.pods.items()}
        return Usages(nodes, pods) if found else NOTHING

    def _looks(self, names: list[str]) -> dict[str, Object]:
        """Returns the summaries of nodes, several at once; a node that does not tell is left out."""
        todo: queue.SimpleQueue[str] = queue.SimpleQueue()
        for name in names:
            todo.put(name)
        found: dict[str, Object] = {}
        refused: list[CorralError] = []

        def work() -> None:
            store = self._session.open_store()
            try:
                while not refused or not isinstance(refused[-1], ForbiddenError):
                    name = todo.get_nowait()
                    try:
                        found[name] = store.get(NODE, ObjectKey("", name), subresource=SUMMARY)
                    except CorralError as error:
                        refused.append(error)
            except queue.Empty:
                return
            finally:
                store.close()

        threads = [threading.Thread(target=work, daemon=True) for _ in names[:_AT_ONCE]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if any(isinstance(one, ForbiddenError) for one in refused):
            self._on_note("left out, since there is no metrics server and you may not ask nodes: processors and memory")
        return found
