"""One live look at a cron before a job of it is made or deleted.

A cache may lag behind the server: after a change of turns, what a new operator knows of a cron can be older than the last job
that the one before has made, and forgotten. A status that was decided on an old view is refused by its version; a new job is
not.
"""

from corral.kinds.cron.cron import CRON, CRON_NAME
from corral.kinds.cron.template import facts_of_template
from corral.kinds.objects import is_controlled_by, key_of, uid_of
from corral.kinds.references import ObjectKey
from corral.ports.object_store import ObjectReader, Scope
from corral.ports.refusals import NotFoundError
from corral.reconcile.cron.world import World
from corral.reconcile.plan import Create, Delete, Plan


class Confirmations:
    """Which crons were seen to have the jobs that the caches show; once seen, caches only move forward."""

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._confirmed: dict[ObjectKey, str] = {}

    async def allow(self, world: World, plan: Plan) -> bool:
        """Whether a plan may be carried out; False when the view that it was made from is an old one."""
        if not any(isinstance(action, Create | Delete) for action in plan):
            return True
        return await self._is_present(world) and await self._has_these_jobs(world)

    def forget(self, key: ObjectKey) -> None:
        """Drops what is known about a cron that is gone."""
        self._confirmed.pop(key, None)

    async def _is_present(self, world: World) -> bool:
        try:
            present = await self._reader.get(CRON, key_of(world.cron))
        except NotFoundError:
            return False
        return bool(present["metadata"]["resourceVersion"] == world.cron["metadata"]["resourceVersion"])

    async def _has_these_jobs(self, world: World) -> bool:
        key, uid, facts = key_of(world.cron), uid_of(world.cron), facts_of_template(world.cron)
        if facts is None or self._confirmed.get(key) == uid:
            return True
        scope = Scope(key.namespace, f"{CRON_NAME}={key.name}", metadata_only=True)
        there = {uid_of(job) for job in await self._reader.list(facts.resource, scope) if is_controlled_by(job, uid)}
        if not there <= {uid_of(job) for job in world.jobs}:
            return False
        self._confirmed[key] = uid
        return True
