"""One live look at a job before an operator that is new to it makes or deletes anything.

What an operator knows at its start may be old: it was stopped after it had listed, or the server that it asked lags behind.
A status that was decided on an old view is refused by its version; new pods and deletions are not, and would run a job
that has ended meanwhile. Once a job was seen as it is, its cache only moves forward.
"""

from corral.kinds.objects import Object, key_of, uid_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.object_store import ObjectReader
from corral.ports.refusals import NotFoundError
from corral.reconcile.plan import Create, Delete, Plan


class Confirmations:
    """Which jobs of one kind were seen to be as the cache shows them."""

    def __init__(self, reader: ObjectReader, resource: ApiResource) -> None:
        self._reader = reader
        self._resource = resource
        self._confirmed: dict[ObjectKey, str] = {}

    async def allow(self, job: Object, plan: Plan) -> bool:
        """Whether a plan may be carried out; False when the view that it was made from is an old one."""
        if self._confirmed.get(key_of(job)) == uid_of(job) or not _needs_certainty(plan):
            return True
        try:
            present = await self._reader.get(self._resource, key_of(job))
        except NotFoundError:
            return False
        if present["metadata"]["resourceVersion"] != job["metadata"]["resourceVersion"]:
            return False
        self._confirmed[key_of(job)] = uid_of(job)
        return True

    def forget(self, key: ObjectKey) -> None:
        """Drops what is known about a job that is gone."""
        self._confirmed.pop(key, None)


def _needs_certainty(plan: Plan) -> bool:
    return any(isinstance(action, Create | Delete) for action in plan)
