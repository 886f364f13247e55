"""Fake nodes that `corral up` no longer asks for: their pods fail, then they go.

It cannot be left to the process that plays them, which is no longer started then.
"""

import logging
from collections.abc import Iterable

from corral.control.controller import Controller, Watch
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import Runtime
from corral.engine.controllers.replica_sets import GLANCE
from corral.kinds.nodes import is_fake_node
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE, POD
from corral.reconcile.builtin.node_departure import decide

_log = logging.getLogger("corral.engine.controllers.departure")

_NODE = "node"


class DepartedFakeNodes:
    """Does away with all fake nodes but those that stay."""

    def __init__(self, runtime: Runtime, executor: PlanExecutor, staying: frozenset[str]) -> None:
        self._clock = runtime.clock
        self._executor = executor
        self._staying = staying
        self._departing: set[str] = set()
        self._nodes = runtime.caches.of(NODE)
        self._pods = runtime.caches.of(POD)
        self._pods.add_indexes({_NODE: _node_of})
        watches = [Watch(NODE, self._own_key), Watch(POD, self._node_key)]
        self.controller = Controller("departed-fake-nodes", self._reconcile, watches, runtime)

    async def run(self) -> None:
        """Works until cancelled."""
        await self.controller.run()

    def _own_key(self, node: Object) -> Iterable[ObjectKey]:
        name = node["metadata"]["name"]
        if not is_fake_node(node) or name in self._staying:
            return ()
        self._departing.add(name)
        return (ObjectKey("", name),)

    def _node_key(self, pod: Object) -> Iterable[ObjectKey]:
        return [ObjectKey("", name) for name in _node_of(pod) if name in self._departing]

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        if not self._executor.expectations.are_met(key):
            return RetryAfter(GLANCE)
        node = self._nodes.get(key)
        if node is not None and not is_fake_node(node):
            return DONE  # the label was taken off
        pods = self._pods.by_index(_NODE, key.name)
        if node is not None:
            _log.info("fake node goes", extra={"node": key.name, "pods": len(pods)})
        return await self._executor.run(key, decide(key.name, node, pods, self._clock.now()))


def _node_of(pod: Object) -> Iterable[str]:
    name = (pod.get("spec") or {}).get("nodeName")
    return (name,) if name else ()
