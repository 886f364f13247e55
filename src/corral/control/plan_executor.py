"""Carrying out plans through the object store: in stages, in parallel within one, and safe to repeat.

    reconcile = planned(observe, decide, executor)

turns a pure decision into a reconcile function: observe (from caches), decide (pure), carry out, and wait for the caches
to show what was written before deciding again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from corral.control.expectations import Expectations
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.control.runtime import Runtime
from corral.errors import BugError, CorralError
from corral.kinds.objects import Object, controller_of, is_deleting, key_of, uid_of
from corral.kinds.references import ObjectKey
from corral.ports.object_store import DeleteOptions, WriteOptions
from corral.ports.object_store import Patch as StorePatch
from corral.ports.refusals import AlreadyExistsError, ConflictError, NotFoundError, is_namespace_leaving
from corral.reconcile.plan import (
    Action,
    Apply,
    Create,
    Delete,
    EmitEvent,
    LookAgainAfter,
    Patch,
    Plan,
    SetStatus,
    Told,
    Update,
)

W = TypeVar("W")

_TRIES = 5
_GLANCE = 0.05
"""How soon a key comes again whose writes are not visible yet."""
_PATIENCE = 0.5
"""How soon a key comes again that was seen in an old state, if no change brings it earlier."""

_WHILE_LEAVING = 300.0
"""How soon a key comes again whose namespace is being deleted, if no change brings it earlier."""

Fence = Callable[[], None]
Filler = Callable[[Object], Object]
"""Completes an object with what only the world outside can give, such as keys; the argument is not changed."""


def _no_fence() -> None:
    """Lets every write pass."""


class PlanExecutor:
    """Runs actions; `fence` is called before each write and raises when this process may no longer write."""

    def __init__(
        self,
        runtime: Runtime,
        *,
        parallel: int = 16,
        fence: Fence = _no_fence,
        fillers: Mapping[str, Filler] = MappingProxyType({}),
    ) -> None:
        self.expectations = Expectations(runtime.caches, runtime.clock)
        self._store = runtime.store
        self._events = runtime.events
        self._parallel = parallel
        self._gate = asyncio.Semaphore(parallel)
        self._fence = fence
        self._fillers = fillers

    @property
    def fence(self) -> Fence:
        """Returns what must let every write pass, for executors that work under the same rule."""
        return self._fence

    async def run(self, owner: ObjectKey, plan: Plan) -> Outcome:
        """Carries out a plan for one reconcile key.

        When an action fails, the others of its stage still end, later stages do not start, and the first failure is
        raised: the key comes again and a new plan is made from what is there then. That nothing can be made in a
        namespace which is being deleted is no failure: soon there will be nothing to make it for.
        """
        try:
            with self._events.stepping_back():
                await self._run_stages(owner, plan)
        except CorralError as error:
            if is_namespace_leaving(error):
                return RetryAfter(_WHILE_LEAVING)
            raise
        again = plan.look_again_after
        return DONE if again is None else RetryAfter(again)

    async def _run_stages(self, owner: ObjectKey, plan: Plan) -> None:
        for stage in plan.stages:
            failures: list[BaseException] = []
            left = iter(stage)
            # So many and no more stand at the gate for one plan: a job of thousands must not hold up a small one.
            lanes = min(len(stage), self._parallel)
            await asyncio.gather(*(self._act_on_each(owner, left, failures) for _ in range(lanes)))
            if failures:
                raise min(failures, key=_weight)

    async def _act_on_each(self, owner: ObjectKey, left: Iterator[Action], failures: list[BaseException]) -> None:
        for action in left:
            try:
                await self._act(owner, action)
            except Exception as failure:  # noqa: BLE001 - raised when the stage has ended
                failures.append(failure)

    async def _act(self, owner: ObjectKey, action: Action) -> None:
        if isinstance(action, LookAgainAfter):
            return
        if isinstance(action, EmitEvent):
            self._events.emit(action)
            return
        told = action.told if isinstance(action, Create | Delete) else None
        try:
            await self._carry_out(owner, action)
        except CorralError as error:
            if not _is_outdated(action, error):
                self._tell_failure(told, error)
            raise
        if isinstance(action, SetStatus):
            for event in action.told:
                self._events.emit(event, with_status=True)
        if told is not None and told.done is not None:
            self._events.emit(told.done)

    def _tell_failure(self, told: Told | None, error: CorralError) -> None:
        if told is not None and told.failed is not None and not is_namespace_leaving(error):
            self._events.emit(replace(told.failed, message=f"{told.failed.message}{error.message}"))
            error.was_told = True

    async def _carry_out(self, owner: ObjectKey, action: Create | Apply | Update | Patch | SetStatus | Delete) -> None:
        async with self._gate:
            self._fence()
            if isinstance(action, Delete):
                await self._delete(owner, action)
                return
            stored = await self._write(action)
        self.expectations.wrote(owner, action.resource, stored)

    async def _write(self, action: Create | Apply | Update | Patch | SetStatus) -> Object:
        match action:
            case Create():
                return await self._create(action)
            case Apply():
                options = WriteOptions(manager=action.manager, force=action.force)
                patch = StorePatch("apply", action.object)
                return await self._store.patch(action.resource, key_of(action.object), patch, options=options)
            case Update():
                return await self._store.update(action.resource, action.object, subresource=action.subresource)
            case Patch():
                patch = StorePatch(action.form, action.body)
                return await self._store.patch(action.resource, action.key, patch, subresource=action.subresource)
            case SetStatus():
                return await self._set_status(action)

    async def _create(self, action: Create) -> Object:
        wanted = self._fillers[action.fill](action.object) if action.fill else action.object
        if not wanted["metadata"].get("name"):
            raise BugError("unnamed-create", f"a plan creates a {action.resource.kind} without a fixed name")
        try:
            return await self._store.create(action.resource, wanted, WriteOptions(deterministic=True))
        except AlreadyExistsError as error:
            try:
                found = await self._store.get(action.resource, key_of(wanted))
            except NotFoundError:
                raise ConflictError(error.message, what=error.what, status=error.status) from error
            if is_deleting(found) or not (action.or_found or _same_owner(found, wanted)):
                if action.told is not None and action.told.taken is not None and not _same_owner(found, wanted):
                    self._events.emit(action.told.taken)
                message = f"{action.resource.qualified} {key_of(wanted)} belongs to somebody else or is being deleted"
                raise ConflictError(message, what=error.what, status=error.status) from error
            return found

    async def _set_status(self, action: SetStatus) -> Object:
        """Writes a status on top of the version it was decided on, or of a newer one that asks and tells the same.

        A status that somebody wrote meanwhile stays: it may tell of an end, or of a failure, that this one does not know.
        """
        base = action.object
        for attempt in range(_TRIES):
            body = [
                {"op": "replace", "path": "/metadata/resourceVersion", "value": base["metadata"]["resourceVersion"]},
                {"op": "add", "path": "/status", "value": action.status},
            ]
            try:
                return await self._store.patch(
                    action.resource, key_of(base), StorePatch("json", body), subresource="status"
                )
            except ConflictError:
                fresh = await self._store.get(action.resource, key_of(base))
                is_void = uid_of(fresh) != uid_of(base) or _asked(fresh) != _asked(base)
                if is_void or fresh.get("status") != base.get("status") or attempt == _TRIES - 1:
                    raise
                base = fresh
        raise AssertionError("unreachable: the last try returns or raises")

    async def _delete(self, owner: ObjectKey, action: Delete) -> None:
        options = DeleteOptions(action.propagation, action.grace_seconds, action.uid, action.version)
        try:
            await self._store.delete(action.resource, action.key, options)
        except NotFoundError:
            return
        except ConflictError:
            if action.uid and await self._is_still_there(action):
                raise
            return
        self.expectations.deleted(owner, action.resource, action.key, action.uid)

    async def _is_still_there(self, action: Delete) -> bool:
        try:
            return uid_of(await self._store.get(action.resource, action.key)) == action.uid
        except NotFoundError:
            return False


def _weight(failure: BaseException) -> int:
    """Returns which failure of a stage is told: a fault of ours first, last what ends by itself."""
    return 0 if not isinstance(failure, CorralError) else 2 if is_namespace_leaving(failure) else 1


def _same_owner(found: Object, wanted: Object) -> bool:
    """Whether both objects are managed by the same owner; two without one are the same by their fixed name."""
    ours, theirs = controller_of(wanted), controller_of(found)
    return (ours or {}).get("uid") == (theirs or {}).get("uid")


def _is_outdated(action: Action, error: CorralError) -> bool:
    """Whether a deletion was decided on an older state of the object: nothing has failed, it is only decided again."""
    return isinstance(action, Delete) and bool(action.version) and isinstance(error, ConflictError)


def _asked(obj: Object) -> object:
    """Returns what the object asks for: its generation where the server counts one, else its spec."""
    return obj["metadata"].get("generation") or obj.get("spec")


def planned(
    observe: Callable[[ObjectKey], Awaitable[W | None]],
    decide: Callable[[W, float], Plan],
    executor: PlanExecutor,
    now: Callable[[], float],
    allow: Callable[[W, Plan], Awaitable[bool]] | None = None,
) -> Callable[[ObjectKey], Awaitable[Outcome]]:
    """Returns a reconcile function; `observe` gives None when the key no longer concerns us.

    A plan that `allow` does not let pass was made from a view that is too old; the key comes again a little later.
    """

    async def reconcile(key: ObjectKey) -> Outcome:
        if not executor.expectations.are_met(key):
            return RetryAfter(_GLANCE)
        world = await observe(key)
        if world is None:
            return DONE
        plan = decide(world, now())
        if allow is not None and not await allow(world, plan):
            return RetryAfter(_PATIENCE)
        return await executor.run(key, plan)

    return reconcile
