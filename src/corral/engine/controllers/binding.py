"""Binding pods to nodes: the loop around `corral.reconcile.builtin.binding`.

One task decides, and each decision counts at once; several binds may then be on their way. What keeps a GPU from being
given twice:

- A bind whose answer is lost is sent again, for the same node, until the server has said yes or no. The uid in it makes
  that harmless, and meanwhile the room stays taken.
- A bind that was accepted stays counted until the cache shows it; when it never does, the server is asked.
- A process that starts writes to its lease and only then lists the pods: what an earlier process sent is decided by
  then, and listed.

This is for an API where no other scheduler runs, which is the embedded one.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Sequence

from corral.control.backoff import Backoff
from corral.control.event_recorder import EventRecorder
from corral.control.mirror import Delta
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.engine.controllers.unschedulable import Unschedulable
from corral.errors import CorralError, PermanentError, RetryError
from corral.kinds.nodes import is_fake_node
from corral.kinds.objects import Object, key_of, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import LEASE, NODE, POD
from corral.ports.object_store import Patch, WriteOptions
from corral.ports.refusals import ConflictError, NotFoundError
from corral.reconcile.builtin.binding.board import Board, Choice
from corral.reconcile.moments import micro_stamp_of
from corral.reconcile.plan import EmitEvent

_log = logging.getLogger("corral.engine.controllers.binding")

LEASE_KEY = ObjectKey("kube-system", "corral-scheduler")
_COMPONENT = "corral-scheduler"
_AT_ONCE = 16
"""Binds on their way at the same time."""
_BACKOFF = Backoff(0.1, 5.0)
_AFTER_REFUSAL = 1.0
"""How long a pod is left alone whose binding was refused though it waits, in seconds."""
_SEEN_WITHIN = 15.0
"""How long the cache may take to show a binding before the server is asked, in seconds."""


class Binder:
    """Binds what fits; `fake_nodes` are the names of the fake nodes that may be used."""

    def __init__(self, runtime: Runtime, fence: Fence, fake_nodes: frozenset[str]) -> None:
        self._runtime = runtime
        self._store = runtime.store
        self._clock = runtime.clock
        self._fence = fence
        self._fake_nodes = fake_nodes
        self._pods = runtime.caches.of(POD)
        self._nodes = runtime.caches.of(NODE)
        self._board = Board()
        self._heard = 0
        self._news = asyncio.Event()
        self._gate = asyncio.Semaphore(_AT_ONCE)
        self._unseen: dict[str, asyncio.Future[None]] = {}
        self._events = EventRecorder(runtime.store, runtime.clock, _COMPONENT)
        self._unschedulable = Unschedulable(self._board, runtime, self._events, fence)

    async def run(self) -> None:
        """Works until cancelled."""
        self._nodes.subscribe(self._take_nodes)
        self._pods.subscribe(self._take_pods)
        try:
            await asyncio.gather(self._nodes.wait_synced(), self._pods.wait_synced())
            earlier = await self._bound_before()
            async with asyncio.TaskGroup() as group:
                for pod in earlier:
                    self._board.assume(pod)
                    if self._board.is_assumed(uid_of(pod)):
                        group.create_task(self._until_seen(key_of(pod), uid_of(pod)), name=f"see {key_of(pod)}")
                group.create_task(self._events.run(), name="binding-events")
                group.create_task(self._unschedulable.run(), name="unschedulable")
                group.create_task(self._decide(group), name="binding")
        finally:
            self._pods.unsubscribe(self._take_pods)
            self._nodes.unsubscribe(self._take_nodes)

    # --- hearing ---

    def _take_nodes(self, deltas: Sequence[Delta[Object]]) -> None:
        for delta in deltas:
            is_out = delta.new is not None and is_fake_node(delta.new) and delta.key.name not in self._fake_nodes
            self._board.take_node(delta.key.name, None if is_out else delta.new)
        self._tell_news()

    def _take_pods(self, deltas: Sequence[Delta[Object]]) -> None:
        for delta in deltas:
            try:
                self._board.take_pod(delta.old, delta.new)
            except Exception:  # noqa: BLE001 - logged; a poison object hurts only itself
                _log.exception("pod not understood", extra={"pod": str(delta.key)})
        for uid in [uid for uid in self._unseen if not self._board.is_assumed(uid)]:
            self._unseen.pop(uid).set_result(None)
        self._tell_news()

    def _tell_news(self) -> None:
        if self._board.changes != self._heard:
            self._heard = self._board.changes
            self._news.set()

    # --- deciding ---

    async def _decide(self, group: asyncio.TaskGroup) -> None:
        self._news.set()
        while True:
            await self._news.wait()
            self._news.clear()
            while True:
                await self._gate.acquire()  # decided as late as possible, with the latest news
                choice = self._board.next_choice()
                if choice is None:
                    self._gate.release()
                    break
                group.create_task(self._bind(choice), name=f"bind {choice.key}")
            if self._board.has_waiting:
                self._unschedulable.look()

    async def _bind(self, choice: Choice) -> None:
        try:
            failures = 0
            while not await self._is_settled(choice):
                failures += 1
                await self._clock.sleep(_BACKOFF.wait(failures, self._runtime.randomness.fraction()))
        finally:
            self._gate.release()
        await self._until_seen(choice.key, choice.uid)

    async def _is_settled(self, choice: Choice) -> bool:
        """Sends a bind; False when it is not known what became of it."""
        self._fence()
        try:
            with self._events.stepping_back():
                await self._store.create(POD, _binding(choice), WriteOptions(deterministic=True), subresource="binding")
        except (ConflictError, PermanentError) as refused:
            return await self._is_settled_by_looking(choice, refused)
        except RetryError as error:
            _log.info("bind without an answer", extra={"pod": str(choice.key), "reason": error.message})
            return False
        self._tell(choice)
        return True

    async def _is_settled_by_looking(self, choice: Choice, refused: ConflictError | PermanentError) -> bool:
        """Asks for the pod whose bind was refused: it may be bound, by an earlier try of ours, or gone."""
        try:
            pod = await self._read(choice.key)
        except CorralError:
            return False
        if pod is not None and uid_of(pod) == choice.uid:
            node = pod["spec"].get("nodeName")
            if node == choice.node:
                self._tell(choice)
            elif not node:
                _log.info("bind refused", extra={"pod": str(choice.key), "reason": refused.message})
                await self._clock.sleep(_AFTER_REFUSAL)
        self._settle(choice.uid, pod)
        return True

    async def _until_seen(self, key: ObjectKey, uid: str) -> None:
        """Returns when the cache shows a binding; one that it does not show in time is looked up."""
        while self._board.is_assumed(uid):
            seen = self._unseen.setdefault(uid, asyncio.get_running_loop().create_future())
            try:
                async with asyncio.timeout(_SEEN_WITHIN):
                    await asyncio.shield(seen)
            except TimeoutError:
                try:
                    self._settle(uid, await self._read(key))
                except CorralError:
                    continue
        self._unseen.pop(uid, None)

    def _settle(self, uid: str, pod: Object | None) -> None:
        self._board.settle(uid, pod)
        self._tell_news()

    async def _read(self, key: ObjectKey) -> Object | None:
        try:
            return await self._store.get(POD, key)
        except NotFoundError:
            return None

    def _tell(self, choice: Choice) -> None:
        pod = self._pods.get(choice.key)
        if pod is not None:
            message = f"Successfully assigned {choice.key} to {choice.node}"
            self._events.emit(EmitEvent(POD, pod, "Scheduled", message))

    # --- starting ---

    async def _bound_before(self) -> list[Object]:
        """Returns the pods that are bound, listed after everything that was sent before this process is decided."""
        failures = 0
        while True:
            self._fence()
            try:
                await self._write_lease()
                return [pod for pod in await self._store.list(POD) if pod["spec"].get("nodeName")]
            except CorralError as error:
                failures += 1
                _log.info("waiting for the API", extra={"reason": error.message})
                await self._clock.sleep(_BACKOFF.wait(failures, self._runtime.randomness.fraction()))

    async def _write_lease(self) -> None:
        """Writes who binds here; the server writes in order, so what was sent before is decided when this is answered."""
        now = micro_stamp_of(self._clock.now())
        spec = {"holderIdentity": f"{socket.gethostname()}_{os.getpid()}", "acquireTime": now, "renewTime": now}
        try:
            await self._store.patch(LEASE, LEASE_KEY, Patch("merge", {"spec": spec}))
        except NotFoundError:
            metadata = {"namespace": LEASE_KEY.namespace, "name": LEASE_KEY.name}
            await self._store.create(LEASE, {"metadata": metadata, "spec": spec}, WriteOptions(deterministic=True))


def _binding(choice: Choice) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": choice.key.name, "namespace": choice.key.namespace, "uid": choice.uid},
        "target": {"apiVersion": "v1", "kind": "Node", "name": choice.node},
    }
