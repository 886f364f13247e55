"""ResourceQuotas: followed, so that no job is told to grow by pods that the server would refuse to make."""

import logging
from collections.abc import Sequence

from corral.control.mirror import Delta
from corral.control.object_cache import ObjectCache
from corral.control.runtime import Runtime
from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.installed_kinds import known
from corral.control.scheduling.reading.quotas import left_by
from corral.kinds.scheduling.quota_view import QuotaView
from corral.kinds.well_known import RESOURCE_QUOTA
from corral.ports.refusals import ForbiddenError

_log = logging.getLogger("corral.control.scheduling")


class FollowedQuotas:
    """Tells the desk what the quotas of each namespace leave."""

    def __init__(self, runtime: Runtime, desk: AdmissionDesk) -> None:
        self._caches = runtime.caches
        self._clock = runtime.clock
        self._desk = desk
        self._quotas: ObjectCache[QuotaView] = runtime.caches.shaped(RESOURCE_QUOTA, QuotaView)

    async def follow(self) -> None:
        """Returns when all quotas are known; a server that has no such kind, or shows it to us never, is not asked again."""
        self._quotas.subscribe(self._take)
        await known(self._quotas, self._clock)
        if self._quotas.has_synced:
            return
        if isinstance(self._quotas.failure, ForbiddenError):
            _log.warning("quotas of namespaces are not known: %s", self._quotas.failure.message)
        await self._caches.drop(RESOURCE_QUOTA)

    def _take(self, deltas: Sequence[Delta[QuotaView]]) -> None:
        for namespace in dict.fromkeys(delta.key.namespace for delta in deltas):
            self._desk.put_namespace(namespace, left_by(self._quotas.objects(namespace)))
