"""Endpoints of Services: the loop around `corral.reconcile.builtin.endpoints`."""

from collections.abc import Iterable

from corral.control.controller import Controller, Watch
from corral.control.outcome import Outcome, RetryAfter
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import Runtime
from corral.engine.controllers.replica_sets import GLANCE
from corral.kinds.objects import Object, key_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import ENDPOINTS, POD, SERVICE
from corral.reconcile.builtin.endpoints import Observed, decide, is_member

_PLACE = "namespace"


class EndpointsOfServices:
    """Keeps the addresses of each Service's pods up to date."""

    def __init__(self, runtime: Runtime, executor: PlanExecutor) -> None:
        self._executor = executor
        self._services = runtime.caches.of(SERVICE)
        self._pods = runtime.caches.of(POD)
        self._endpoints = runtime.caches.of(ENDPOINTS)
        self._services.add_indexes({_PLACE: _place})
        self._pods.add_indexes({_PLACE: _place})
        watches = [Watch(SERVICE), Watch(ENDPOINTS), Watch(POD, self._services_of)]
        self.controller = Controller("endpoints", self._reconcile, watches, runtime)

    async def run(self) -> None:
        """Works until cancelled."""
        await self.controller.run()

    def _services_of(self, pod: Object) -> Iterable[ObjectKey]:
        services = self._services.by_index(_PLACE, pod["metadata"]["namespace"])
        return [key_of(service) for service in services if is_member(service, pod)]

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        if not self._executor.expectations.are_met(key):
            return RetryAfter(GLANCE)
        service = self._services.get(key)
        pods = self._pods.by_index(_PLACE, key.namespace) if service is not None else ()
        outcome = await self._executor.run(key, decide(Observed(service, self._endpoints.get(key), pods)))
        if service is None:
            self._executor.expectations.forget(key)
        return outcome


def _place(obj: Object) -> Iterable[str]:
    return (obj["metadata"]["namespace"],)
