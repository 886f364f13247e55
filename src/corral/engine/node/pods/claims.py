"""The directories behind claims: removed with their claim, when no pod uses them any more.

Only a deletion that this node has seen, or another claim in its place, removes anything. A claim that is merely absent, after a repair of the state say,
keeps its directory: what is in it may be weeks of training.
"""

import logging

from corral.control.controller import Controller, Watch
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.control.runtime import Runtime
from corral.engine.node.folder import NodeFolder
from corral.engine.node.volumes.removal import remove_claim
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import PERSISTENT_VOLUME_CLAIM, POD
from corral.ports.object_store import Scope

_AGAIN = 5.0

_log = logging.getLogger("corral.engine.node.pods")


def claims_of(pod: Object) -> set[ObjectKey]:
    """Returns the claims that a pod mounts."""
    sources = (volume.get("persistentVolumeClaim") or {} for volume in pod["spec"].get("volumes") or ())
    return {ObjectKey(pod["metadata"]["namespace"], str(one["claimName"])) for one in sources if one.get("claimName")}


class Claims:
    """Looks after the directories behind claims."""

    def __init__(self, runtime: Runtime, folder: NodeFolder, scope: Scope) -> None:
        self._folder = folder
        self._pods = runtime.caches.of(POD, scope)
        self._claims = runtime.caches.of(PERSISTENT_VOLUME_CLAIM)
        self.controller = Controller("claims", self._reconcile, [Watch(PERSISTENT_VOLUME_CLAIM)], runtime, workers=1)

    async def run(self) -> None:
        """Works until cancelled."""
        await self._pods.wait_synced()
        await self.controller.run()

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        if self._claims.get(key) is not None:
            return DONE
        if any(key in claims_of(pod) for pod in self._pods.objects()):
            return RetryAfter(_AGAIN)
        remove_claim(self._folder, *key)
        _log.info("directory of a deleted claim removed", extra={"claim": str(key)})
        return DONE
