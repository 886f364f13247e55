"""One live look at a job and its pods before an operator that is new to it makes, deletes or ends anything.

What an operator knows at its start may be old: it was stopped after it had listed, or the server that it asked lags behind.
A status that was decided on an old view of the job is refused by its version; new pods and deletions are not, and would run
a job that has ended meanwhile; and an old view of its pods could end it for what is long over. Once a job was seen as it is, its caches only move forward.
"""

from corral.kinds.objects import Object, controller_of, key_of, uid_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import POD
from corral.ports.object_store import ObjectReader, Scope
from corral.ports.refusals import NotFoundError
from corral.reconcile.plan import Action, Create, Delete, Plan, SetStatus
from corral.reconcile.training.labels import JOB_NAME
from corral.reconcile.training.world import World


class Confirmations:
    """Which jobs of one kind were seen to be as the caches show them."""

    def __init__(self, reader: ObjectReader, resource: ApiResource) -> None:
        self._reader = reader
        self._resource = resource
        self._confirmed: dict[ObjectKey, str] = {}

    async def allow(self, world: World, plan: Plan) -> bool:
        """Whether a plan may be carried out; False when the view that it was made from is an old one."""
        key, uid = key_of(world.job), uid_of(world.job)
        if self._confirmed.get(key) == uid or not _needs_certainty(plan):
            return True
        if not (await self._is_present(world.job) and await self._has_these_pods(world)):
            return False
        self._confirmed[key] = uid
        return True

    def forget(self, key: ObjectKey) -> None:
        """Drops what is known about a job that is gone."""
        self._confirmed.pop(key, None)

    async def _is_present(self, job: Object) -> bool:
        try:
            present = await self._reader.get(self._resource, key_of(job))
        except NotFoundError:
            return False
        return bool(present["metadata"]["resourceVersion"] == job["metadata"]["resourceVersion"])

    async def _has_these_pods(self, world: World) -> bool:
        if "status" not in world.job:
            return True  # nobody has looked after it before
        key, uid = key_of(world.job), uid_of(world.job)
        scope = Scope(key.namespace, f"{JOB_NAME}={key.name}", metadata_only=True)
        owned = (pod for pod in await self._reader.list(POD, scope) if (controller_of(pod) or {}).get("uid") == uid)
        return {uid_of(pod) for pod in owned} == {pod.uid for pod in world.pods}


def _needs_certainty(plan: Plan) -> bool:
    return any(isinstance(action, Create | Delete) or _ends_job(action) for action in plan)


def _ends_job(action: Action) -> bool:
    """Whether a status says that the job has ended, which nothing takes back."""
    conditions = action.status.get("conditions") or () if isinstance(action, SetStatus) else ()
    return any(one["type"] in ("Succeeded", "Failed") and one["status"] == "True" for one in conditions)
