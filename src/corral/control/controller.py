"""The controller: changes in, keys through the work queue, one reconcile per key at a time.

    async def reconcile(key: ObjectKey) -> Outcome: ...

    controller = Controller(
        "replica-sets",
        reconcile,
        [Watch(REPLICA_SET), Watch(POD, controller_keys("ReplicaSet"))],
        runtime,
    )
    await controller.run()

An event only says "look": reconcile reads the state and decides from it. Whatever a reconcile raises concerns its key
alone, which comes again later and later; the others go on.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from corral.control.backoff import Backoff
from corral.control.health import Verdict
from corral.control.mirror import Delta
from corral.control.outcome import Outcome, RetryAfter
from corral.control.runtime import Runtime
from corral.control.work_queue import WorkQueue
from corral.errors import CorralError, RetryError
from corral.kinds.objects import Object, controller_of, key_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.object_store import EVERYTHING, Scope

KeysOf = Callable[[Any], Iterable[ObjectKey]]
Reconcile = Callable[[ObjectKey], Awaitable[Outcome]]

_log = logging.getLogger("corral.control.controller")

DEFAULT_BACKOFF = Backoff(0.2, 300.0)


def own_key(obj: Any) -> Iterable[ObjectKey]:
    """Maps an object to itself."""
    return (key_of(obj),)


def controller_keys(kind: str, group: str | None = None) -> KeysOf:
    """Returns a mapping of children to the owner of a kind (and API group) that manages them."""

    def keys(obj: Object) -> Iterable[ObjectKey]:
        owner = controller_of(obj)
        return (_owner_key(obj, owner),) if owner is not None and _is_of(owner, kind, group) else ()

    return keys


def _is_of(owner: Object, kind: str, group: str | None) -> bool:
    return owner.get("kind") == kind and (group is None or owner.get("apiVersion", "").rpartition("/")[0] == group)


def _owner_key(obj: Object, owner: Object) -> ObjectKey:
    return ObjectKey(obj["metadata"].get("namespace", ""), owner["name"])


class Watch(NamedTuple):
    """A resource to follow, and which keys to look at when one of its objects changes (old and new state are mapped)."""

    resource: ApiResource
    keys: KeysOf = own_key
    scope: Scope = EVERYTHING
    shape: Any = dict[str, Any]


class ControllerCounts(msgspec.Struct):
    """What happened so far, for metrics and tests."""

    reconciles: int = 0
    failures: int = 0
    poisoned: int = 0
    """Objects whose keys could not be told."""


class Controller:
    """Runs one reconcile function over the keys that its watches point to."""

    def __init__(
        self,
        name: str,
        reconcile: Reconcile,
        watches: Sequence[Watch],
        runtime: Runtime,
        *,
        workers: int = 4,
        backoff: Backoff = DEFAULT_BACKOFF,
        time_limit: float = 120.0,
    ) -> None:
        self.name = name
        self.counts = ControllerCounts()
        self.queue: WorkQueue[ObjectKey] = WorkQueue(runtime.clock, runtime.randomness, backoff)
        self.last_failure: dict[ObjectKey, str] = {}
        """Why each key failed that currently does."""
        self._reconcile = reconcile
        self._caches = runtime.caches
        self._workers = workers
        self._time_limit = time_limit
        self._subscriptions: list[tuple[Any, Any]] = []
        self._watches = list(watches)

    def enqueue(self, key: ObjectKey) -> None:
        """Asks for a look at a key, for reasons that no watch knows."""
        self.queue.add(key)

    def watch(self, watch: Watch) -> None:
        """Follows another resource from now on; also while running, without waiting for its first list."""
        cache: Any = self._caches.shaped(watch.resource, watch.shape, watch.scope)

        def subscriber(deltas: Sequence[Delta[Any]]) -> None:
            for delta in deltas:
                self._enqueue_for(watch, delta)

        self._subscriptions.append((cache, subscriber))
        cache.subscribe(subscriber)

    async def run(self) -> None:
        """Waits until all watched resources are known, then works until cancelled."""
        for watch in self._watches:
            self.watch(watch)
        try:
            await asyncio.gather(*(cache.wait_synced() for cache, _ in self._subscriptions))
            async with asyncio.TaskGroup() as group:
                for number in range(self._workers):
                    group.create_task(self._work(), name=f"{self.name}-{number}")
        finally:
            self.queue.close()
            for cache, subscriber in self._subscriptions:
                with suppress(ValueError):
                    cache.unsubscribe(subscriber)
            self._subscriptions.clear()

    def verdicts(self) -> list[Verdict]:
        """Returns this controller's judgement of itself; failing keys are told but are not its illness."""
        failing = f", {len(self.last_failure)} failing" if self.last_failure else ""
        return [Verdict(f"controller {self.name}", True, f"{len(self.queue)} waiting{failing}")]

    def _enqueue_for(self, watch: Watch, delta: Delta[Any]) -> None:
        for state in (delta.old, delta.new):
            if state is None:
                continue
            try:
                for key in watch.keys(state):
                    self.queue.add(key)
            except Exception:  # noqa: BLE001 - logged; a poison object hurts only itself
                self.counts.poisoned += 1
                _log.exception("object not understood", extra={"controller": self.name, "key": str(delta.key)})

    async def _work(self) -> None:
        while True:
            key = await self.queue.get()
            try:
                await self._attempt(key)
            finally:
                self.queue.done(key)

    async def _attempt(self, key: ObjectKey) -> None:
        self.counts.reconciles += 1
        try:
            async with asyncio.timeout(self._time_limit):
                outcome = await self._reconcile(key)
        except CorralError as error:
            asked = error.retry_after if isinstance(error, RetryError) else None
            self._fail(key, error.message, asked or 0.0)
        except TimeoutError:
            self._fail(key, f"no end within {self._time_limit:g} s", 0.0)
        except Exception as error:  # noqa: BLE001 - logged; a poison object hurts only itself
            _log.exception("reconcile failed", extra={"controller": self.name, "key": str(key)})
            self._fail(key, f"{type(error).__name__}: {error}", 0.0)
        else:
            self.queue.forget(key)
            self.last_failure.pop(key, None)
            if isinstance(outcome, RetryAfter):
                self.queue.add_after(key, outcome.seconds)

    def _fail(self, key: ObjectKey, reason: str, at_least: float) -> None:
        self.counts.failures += 1
        self.last_failure[key] = reason
        wait = self.queue.add_failed(key, at_least=at_least)
        extra = {"controller": self.name, "key": str(key), "reason": reason, "wait": wait}
        _log.info("reconcile comes again", extra=extra)
