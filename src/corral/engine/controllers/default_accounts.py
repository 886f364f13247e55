"""The ServiceAccount `default` of every namespace: the loop around `corral.reconcile.builtin.service_accounts`."""

import logging
from collections.abc import Iterable

from corral.control.controller import Controller, Watch
from corral.control.outcome import DONE, Outcome
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import Runtime
from corral.engine.controllers.metadata import METADATA, Owned
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE, SERVICE_ACCOUNT
from corral.reconcile.builtin.service_accounts import DEFAULT, decide

_log = logging.getLogger("corral.engine.controllers.accounts")


class DefaultAccounts:
    """Keeps the account there as long as the namespace stays."""

    def __init__(self, runtime: Runtime, executor: PlanExecutor) -> None:
        self._caches = runtime.caches
        self._executor = executor
        watches = [Watch(NAMESPACE), Watch(SERVICE_ACCOUNT, _namespace_of, METADATA, Owned)]
        self.controller = Controller("default-accounts", self._reconcile, watches, runtime, workers=2)

    async def run(self) -> None:
        """Works until cancelled."""
        await self.controller.run()

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        namespace = self._caches.of(NAMESPACE).get(key)
        if namespace is None:
            return DONE
        accounts = self._caches.shaped(SERVICE_ACCOUNT, Owned, METADATA)
        has_account = accounts.get(ObjectKey(key.name, DEFAULT)) is not None
        plan = decide(namespace, has_account)
        if plan:
            _log.info("making the default account", extra={"namespace": key.name})
        return await self._executor.run(key, plan)


def _namespace_of(account: Owned) -> Iterable[ObjectKey]:
    return (ObjectKey("", account.metadata.namespace),) if account.metadata.name == DEFAULT else ()
