"""The loop of the node: looks at a pod, decides, carries out, and tells the API.

Pods come from a watch, ends of processes from the kernel, changes of health from probes; each only says "look". A look
reads the state and acts on it, so a node that was killed goes on with the next look where it was: records on disk say what
runs, and the pod in the API says what shall.
"""

import asyncio
import logging
from collections.abc import Mapping

from corral.control.backoff import Backoff
from corral.control.controller import Controller, Watch
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.control.runtime import Runtime
from corral.engine.node.containers.launch import WAITING
from corral.engine.node.pods.containers_of_pod import ContainersOfPod
from corral.engine.node.pods.life import Orders, deadline_of, decide
from corral.engine.node.pods.live_pod import LivePod
from corral.engine.node.pods.statuses import FINISHED, OURS, status_of
from corral.engine.node.pods.strangers import Strangers
from corral.engine.node.pods.whereabouts import whereabouts
from corral.errors import RetryError
from corral.kinds.objects import Object, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.ports.object_store import DeleteOptions, Patch, Scope
from corral.ports.refusals import ConflictError, NotFoundError

_BACKOFF = Backoff(0.2, 10.0)
_GONE_GRACE = 2.0
"""Seconds for processes whose pod is no longer in the API."""
_CLEAR_AGAIN = 1.0
"""Seconds after which what could not be cleared away is tried again."""
_MOST_STEPS = 4
"""Steps in one look: each may follow from the one before, such as a start that was refused."""

_log = logging.getLogger("corral.engine.node.pods")


def pods_of_node(node: str) -> Scope:
    """Returns the scope of the pods that are bound to a node."""
    return Scope(fields=f"spec.nodeName={node}")


class PodKeeper:
    """Keeps the pods of one node."""

    def __init__(self, runtime: Runtime, node: str, containers: ContainersOfPod) -> None:
        scope = pods_of_node(node)
        self._runtime = runtime
        self._containers = containers
        self._pods = runtime.caches.of(POD, scope)
        self._live: dict[str, LivePod] = {}
        self._uids: dict[ObjectKey, set[str]] = {}
        self._strangers = Strangers({}, containers.clear)
        self.controller = Controller(
            "pods", self._reconcile, [Watch(POD, scope=scope)], runtime, workers=8, backoff=_BACKOFF
        )
        containers.changed = self.controller.enqueue

    @property
    def live(self) -> Mapping[str, LivePod]:
        """Returns the pods that are held, by uid."""
        return self._live

    def find(self, key: ObjectKey) -> LivePod | None:
        """Returns the pod of this name, None when there is none here."""
        pod = self._pods.get(key)
        return None if pod is None else self._live.get(uid_of(pod))

    async def run(self) -> None:
        """Works until cancelled; what runs goes on without this process."""
        await self._find_strangers()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self.controller.run(), name="pods")
                group.create_task(self._clear_strangers(), name="strangers")
                group.create_task(self._keep_house(), name="logs")
        finally:
            for live in self._live.values():
                live.rest()

    async def _keep_house(self) -> None:
        await self._pods.wait_synced()
        await self._containers.keep_house(lambda: frozenset(uid_of(pod) for pod in self._pods.objects()))

    async def _find_strangers(self) -> None:
        """Ends what an earlier life of this node started for pods that are no more; only a whole list says so.

        It comes before everything else: a pod that took the name of such a one must not run beside it.
        """
        await self._pods.wait_synced()
        known = {uid_of(pod) for pod in self._pods.objects()}
        records = self._containers.records
        found = {uid: records.key_of(uid) for uid in records.uids() if uid not in known}
        for uid in found:
            _log.info("ends what is left of a pod that is gone", extra={"uid": uid})
        self._strangers = Strangers(found, self._containers.clear)
        self._clear_once()

    async def _clear_strangers(self) -> None:
        while self._strangers:
            await self._runtime.clock.sleep(_CLEAR_AGAIN)
            self._clear_once()

    def _clear_once(self) -> None:
        for key in self._strangers.clear():
            self.controller.enqueue(key)

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        pod = self._pods.get(key)
        uid = uid_of(pod) if pod is not None else ""
        earlier = [self._live[one] for one in self._uids.get(key, set()) - {uid}]
        leaving = [one for one in earlier if not await self._see_off(one)]
        if pod is None:
            return DONE
        live = self._live.get(uid) or self._take(pod)
        live.pod = pod
        self._containers.look_for_ends(live)
        if leaving or self._strangers.holds_back(key):
            # The end of its processes brings this key again.
            return await self._hold_back(live)
        orders = await self._carry_out(live)
        await self._tell(live)
        if orders.lets_go:
            await self._let_go(live)
            return DONE
        moments = [one for one in (orders.wake, await self._containers.renew(live)) if one is not None]
        return RetryAfter(max(0.01, min(moments) - self._runtime.clock.now())) if moments else DONE

    def _take(self, pod: Object) -> LivePod:
        """Takes a pod into care: what the disk knows of it is found again."""
        live = self._containers.found(pod, self._runtime.clock.now())
        self._live[live.uid] = live
        self._uids.setdefault(live.key, set()).add(live.uid)
        return live

    def _forget(self, live: LivePod) -> None:
        if self._live.pop(live.uid, None) is None:
            return
        left = self._uids[live.key] - {live.uid}
        if left:
            self._uids[live.key] = left
        else:
            del self._uids[live.key]

    async def _carry_out(self, live: LivePod) -> Orders:
        """Acts until nothing follows at once."""
        orders = self._orders(live)
        for _ in range(_MOST_STEPS):
            for stop in orders.stops:
                self._containers.stop(live, stop)
            if not orders.starts:
                break
            for start in orders.starts:
                await self._containers.start(live, start)
            orders = self._orders(live)
        return orders

    def _orders(self, live: LivePod) -> Orders:
        now = self._runtime.clock.now()
        sight = live.sight(now)
        deadline = deadline_of(sight)
        if deadline is not None and now >= deadline and not live.verdict[0] and not sight.has_finished:
            live.verdict = ("DeadlineExceeded", "Pod was active on the node longer than the specified deadline")
            sight = live.sight(now)
        return decide(sight)

    async def _tell(self, live: LivePod) -> None:
        """Writes the status if it is new; the end of a pod is told once and for all."""
        sight = live.sight(self._runtime.clock.now())
        if sight.has_finished:
            return
        status = status_of(sight, whereabouts(live.pod))
        if status == live.told or _is_told(status, live.pod.get("status") or {}):
            live.told = status
            return
        # Merged by type, and only our own: what others wrote meanwhile stays.
        ours = [one for one in status["conditions"] if one["type"] in OURS]
        body = {"metadata": {"uid": live.uid}, "status": {**status, "conditions": ours}}
        try:
            await self._runtime.store.patch(POD, live.key, Patch("strategic", body), subresource="status")
        except (NotFoundError, ConflictError) as error:
            # The pod went, or another of its name came: the watch says what follows.
            _log.debug("status not taken", extra={"pod": str(live.key), "why": str(error)})
            return
        live.told = status
        if status["phase"] in FINISHED:
            self._containers.finished(live)

    async def _let_go(self, live: LivePod) -> None:
        """Confirms that nothing of a deleted pod is left: by a delete without grace, of this very pod."""
        try:
            self._containers.clear(live.uid)
        except RetryError as error:
            self._containers.events.warn(live, "FailedKillPod", error.message)
            raise
        try:
            await self._runtime.store.delete(POD, live.key, DeleteOptions(grace_seconds=0, uid=live.uid))
        except (NotFoundError, ConflictError) as error:
            _log.debug("the pod has gone already", extra={"pod": str(live.key), "why": str(error)})
        self._forget(live)

    async def _see_off(self, live: LivePod) -> bool:
        """Ends what runs of a pod that is no longer in the API, then forgets it; False while some of it still runs."""
        self._containers.look_for_ends(live)
        if self._containers.stop_all(live, _GONE_GRACE):
            return False
        self._containers.clear(live.uid)
        self._forget(live)
        return True

    async def _hold_back(self, live: LivePod) -> Outcome:
        """Lets a pod wait for the end of an earlier one of its name: both would be the same rank at the same places."""
        now = self._runtime.clock.now()
        for container in live.containers.values():
            if container.latest is None:
                container.refused(WAITING, "waiting until the earlier pod of this name has ended", now)
        await self._tell(live)
        return DONE

    def evict(self, uid: str, message: str) -> None:
        """Ends a pod because this machine cannot keep it."""
        live = self._live.get(uid)
        if live is not None and not live.verdict[0]:
            live.verdict = ("Evicted", message)
            self.controller.enqueue(live.key)


def _is_told(status: Object, known: Object) -> bool:
    """Whether everything that would be written stands in the API already."""
    return all(known.get(name) == value for name, value in status.items())
