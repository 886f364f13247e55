"""The controller of crons, beside those of the training kinds and on their caches."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from corral.control.backoff import Backoff
from corral.control.controller import Controller, Reconcile, Watch
from corral.control.cron.confirmation import Confirmations
from corral.control.health import Verdict
from corral.control.mirror import Delta
from corral.control.outcome import Outcome, RetryAfter
from corral.control.plan_executor import Fence, PlanExecutor, planned
from corral.control.runtime import Runtime
from corral.control.training.families import OWNER, manager_of, owner_uids
from corral.control.training.observation import WAY_TO_INSTALL
from corral.control.training.orders import Orders
from corral.control.training.telemetry import Telemetry
from corral.control.training.troubles import Troubles
from corral.kinds.cron.cron import CRON, GROUP
from corral.kinds.cron.template import facts_of_template
from corral.kinds.objects import Object, key_of, uid_of
from corral.kinds.references import ObjectKey
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError
from corral.ports.time_zones import TimeZones
from corral.reconcile.cron.decision import Examined, decide, examined
from corral.reconcile.cron.world import World

SETTLE: Final = 0.03
"""How long changes of jobs are gathered before their cron is looked at."""
_UNTIL_KNOWN: Final = 1.0
"""How soon a cron comes again whose jobs are not known yet."""
_BACKOFF: Final = Backoff(0.2, 60.0)


class CronOperator:
    """Looks after the crons whose jobs are of the kinds that the orders name; the others are left to other operators."""

    def __init__(
        self, runtime: Runtime, orders: Orders, telemetry: Telemetry, zones: TimeZones, *, fence: Fence
    ) -> None:
        where = Scope(orders.namespace)
        self._zones = zones
        self._telemetry = telemetry
        self._examined: dict[ObjectKey, tuple[Object, bool, Examined]] = {}
        self._confirmations = Confirmations(runtime.store)
        self._executor = PlanExecutor(runtime, parallel=orders.parallel, fence=fence)
        self._crons = runtime.caches.of(CRON, where)
        self._crons.way_to_install = WAY_TO_INSTALL
        self._jobs = {facts.kind: runtime.caches.of(facts.resource, where) for facts in orders.kinds}
        for cache in self._jobs.values():
            cache.add_indexes({OWNER: owner_uids})
        troubles = Troubles(CRON, self._crons.get, runtime.events.emit)
        choose = partial(decide, examine=self._examine)
        reconcile = planned(self._observe, choose, self._executor, runtime.clock.now, self._confirmations.allow)
        self.controller = Controller(
            CRON.kind,
            self._once_known(troubles.heard(reconcile)),
            [Watch(CRON, scope=where)],
            runtime,
            backoff=_BACKOFF,
        )

    async def run(self) -> None:
        """Works until cancelled; waits for as long as the kind is not installed."""
        self._crons.subscribe(self._telemetry.take_crons)
        for cache in self._jobs.values():
            cache.subscribe(self._take)
        await self.controller.run()

    def verdicts(self) -> list[Verdict]:
        """Returns how cache and controller are; that crons are not installed, or may not be read, is only told."""
        told = self._crons.verdict()
        if self._crons.is_missing or isinstance(self._crons.failure, ForbiddenError):
            told = told._replace(is_well=True, detail=f"crons are not looked after: {self._crons.failure}")
        return [told, *self.controller.verdicts()]

    def ages(self) -> list[tuple[str, float]]:
        """Returns the seconds since the server was heard."""
        return [(CRON.qualified, self._crons.age())]

    def _once_known(self, reconcile: Reconcile) -> Reconcile:
        async def once_known(key: ObjectKey) -> Outcome:
            cron = self._crons.get(key)
            if cron is not None and not all(self._jobs[kind].has_synced for kind in self._kinds_of(cron)):
                return RetryAfter(_UNTIL_KNOWN)
            return await reconcile(key)

        return once_known

    def _kinds_of(self, cron: Object) -> set[str]:
        """Returns the kinds of a cron's jobs, those included that it made before it was changed."""
        facts = facts_of_template(cron)
        active = ((cron.get("status") or {}).get("active") or []) if facts is not None else []
        kinds = {str(run.get("kind")) for run in active} | ({facts.kind} if facts is not None else set())
        return kinds & self._jobs.keys()

    async def _observe(self, key: ObjectKey) -> World | None:
        cron = self._crons.get(key)
        if cron is None:
            self._executor.expectations.forget(key)
            self._confirmations.forget(key)
            self._examined.pop(key, None)
            return None
        facts = facts_of_template(cron)
        if facts is not None and facts.kind not in self._jobs:
            return None
        zone = self._zones(str((cron.get("spec") or {}).get("timeZone") or ""))
        uid = uid_of(cron)
        return World(cron, [job for cache in self._jobs.values() for job in cache.by_index(OWNER, uid)], zone)

    def _examine(self, cron: Object, knows_zone: bool) -> Examined:
        """Returns what is found about a cron, once for each change of its spec."""
        key, spec = key_of(cron), cron.get("spec") or {}
        held = self._examined.get(key)
        if held is None or (held[0], held[1]) != (spec, knows_zone):
            held = self._examined[key] = (spec, knows_zone, examined(cron, knows_zone))
        return held[2]

    def _take(self, deltas: Sequence[Delta[Any]]) -> None:
        for key, old, new in deltas:
            for state in (old, new):
                owner = None if state is None else manager_of(state)
                if owner is not None and owner.kind == CRON.kind and owner.api_version.startswith(f"{GROUP}/"):
                    self.controller.queue.add_after(ObjectKey(key.namespace, owner.name), SETTLE)
