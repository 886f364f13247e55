"""ResourceQuotas: followed, so that no job is told to grow by pods that the server would refuse to make."""

from collections.abc import Sequence

from corral.control.mirror import Delta
from corral.control.object_cache import ObjectCache
from corral.control.runtime import Runtime
from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.installed_kinds import known
from corral.control.scheduling.reading.quotas import left_by
from corral.kinds.scheduling.quota_view import QuotaView
from corral.kinds.well_known import RESOURCE_QUOTA
from corral.ports.refusals import NotFoundError


class FollowedQuotas:
    """Tells the desk what the quotas of each namespace leave."""

    def __init__(self, runtime: Runtime, desk: AdmissionDesk) -> None:
        self._caches = runtime.caches
        self._clock = runtime.clock
        self._desk = desk
        self._quotas: ObjectCache[QuotaView] = runtime.caches.shaped(RESOURCE_QUOTA, QuotaView)

    async def follow(self) -> None:
        """Returns when all quotas are known; a server that has no such kind is not asked again, since it is no kind to install."""
        self._quotas.subscribe(self._take)
        await known(self._quotas, self._clock)
        if not self._quotas.has_synced and isinstance(self._quotas.failure, NotFoundError):
            await self._caches.drop(RESOURCE_QUOTA)

    def _take(self, deltas: Sequence[Delta[QuotaView]]) -> None:
        for namespace in dict.fromkeys(delta.key.namespace for delta in deltas):
            self._desk.put_namespace(namespace, left_by(self._quotas.objects(namespace)))
