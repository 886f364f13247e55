"""Who of several replicas acts: a Lease, held by renewing it, with an epoch that fences off whoever held it before.

A lease is for efficiency, so that two replicas do not work against each other; safety comes from the version check that
every write carries. All limits are measured with the monotonic clock from what was observed here: the times written into
the lease are for people, so clocks that disagree do no harm.

The epoch is `spec.leaseTransitions`, raised by each acquisition; a leader that was stopped and wakes up later finds its
own time over before it writes (`Term.check`), and anything it wrote with its old epoch is recognisable.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from corral.control.backoff import Backoff
from corral.control.health import Verdict
from corral.errors import CorralError, RetryError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import LEASE
from corral.ports.clock import Clock
from corral.ports.identity import Randomness
from corral.ports.object_store import ObjectStore, WriteOptions
from corral.ports.refusals import AlreadyExistsError, ConflictError, NotFoundError
from corral.reconcile.moments import micro_stamp_of

_log = logging.getLogger("corral.control.leadership")


class LeaseTimes(NamedTuple):
    """Seconds: how long a lease lasts unrenewed, until when its holder must have renewed, and how often it tries."""

    duration: float = 15.0
    renew_deadline: float = 10.0
    renew_every: float = 2.0


DEFAULT_TIMES = LeaseTimes()


class LeadershipLostError(RetryError):
    """This process is no longer the leader, or cannot know; it must not write."""

    def __init__(self, message: str) -> None:
        super().__init__("leadership-lost", message)


class Term:
    """One reign: valid until `deadline` on the monotonic clock, which each renewal moves on."""

    def __init__(self, clock: Clock, epoch: int, deadline: float) -> None:
        self.epoch = epoch
        self._clock = clock
        self._deadline = deadline

    @property
    def is_valid(self) -> bool:
        """Whether this process may still act."""
        return self._clock.monotonic() < self._deadline

    def check(self) -> None:
        """Raises when the reign is over; called before each write, so a process that was stopped does no harm."""
        if not self.is_valid:
            raise LeadershipLostError(f"the lease of epoch {self.epoch} was not renewed in time")

    def extend(self, deadline: float) -> None:
        """Moves the end after a renewal."""
        self._deadline = deadline

    def end(self) -> None:
        """Ends the reign now."""
        self._deadline = float("-inf")


class Leadership:
    """Competes for one lease; `identity` must be unique for each process, also across restarts of the same pod."""

    def __init__(
        self,
        store: ObjectStore,
        lease: ObjectKey,
        identity: str,
        *,
        clock: Clock,
        randomness: Randomness,
        times: LeaseTimes = DEFAULT_TIMES,
    ) -> None:
        self.term: Term | None = None
        self._store = store
        self._lease = lease
        self._identity = identity
        self._clock = clock
        self._randomness = randomness
        self._times = times
        self._seen: tuple[object, float] | None = None
        self._obstacle = "not asked for yet"
        """Why the last try to look at the lease failed; empty when it was answered."""

    def verdicts(self) -> list[Verdict]:
        """Returns the state for health: waiting for one's turn is healthy, and a restart would not help to reach it."""
        return [self._verdict(is_well=True)]

    def readiness(self) -> list[Verdict]:
        """Returns the state for readiness: who waits must at least reach the lease."""
        return [self._verdict(is_well=self._leads or not self._obstacle)]

    @property
    def _leads(self) -> bool:
        return self.term is not None and self.term.is_valid

    def _verdict(self, *, is_well: bool) -> Verdict:
        reason = f": {self._obstacle}" if self._obstacle else ""
        detail = f"leading, epoch {self.term.epoch}" if self._leads and self.term else f"waiting{reason}"
        return Verdict(f"lease {self._lease}", is_well, detail)

    async def lead(self, work: Callable[[Term], Awaitable[None]]) -> None:
        """Waits for leadership, runs `work` while it lasts, cancels it when lost, and begins again; until cancelled.

        When `work` returns or raises, leadership is given back at once and this ends the same way.
        """
        while True:
            term, held = await self._acquire()
            self.term = term
            working = asyncio.create_task(_awaited(work, term), name="leader-work")
            keeping = asyncio.create_task(self._keep(term, held), name="leader-lease")
            try:
                await asyncio.wait({working, keeping}, return_when=asyncio.FIRST_COMPLETED)
                has_ended = working.done()
            finally:
                # First the term, so that nothing is written by work that is slow to end.
                term.end()
                self.term = None
                await _stopped(working, keeping)
                await self._release()
            try:
                (working if has_ended else keeping).result()
            except LeadershipLostError as lost:
                _log.warning("leadership lost", extra={"lease": str(self._lease), "reason": lost.message})
            else:
                return

    async def _acquire(self) -> tuple[Term, Object]:
        """Tries until the lease is ours."""
        backoff = Backoff(self._times.renew_every, self._times.renew_every)
        while True:
            started = self._clock.monotonic()
            try:
                async with asyncio.timeout(self._times.renew_deadline):
                    held = await self._try_acquire()
                self._obstacle = ""
            except (CorralError, TimeoutError) as error:
                self._take_obstacle(error)
                held = None
            if held is not None:
                epoch = int(held["spec"]["leaseTransitions"])
                return Term(self._clock, epoch, started + self._times.renew_deadline), held
            await self._clock.sleep(backoff.wait(1, self._randomness.fraction()))

    def _take_obstacle(self, error: CorralError | TimeoutError) -> None:
        """Remembers why the lease was not reached; the same reason is said once."""
        reason = str(error) or f"no answer within {self._times.renew_deadline:g} s"
        if reason != self._obstacle:
            hint = error.hint if isinstance(error, CorralError) else ""
            extra = {"lease": str(self._lease), "reason": reason} | ({"hint": hint} if hint else {})
            _log.warning("lease not reached", extra=extra)
        self._obstacle = reason

    async def _try_acquire(self) -> Object | None:
        try:
            found = await self._store.get(LEASE, self._lease)
        except NotFoundError:
            return await self._create()
        spec = found.get("spec") or {}
        if spec.get("holderIdentity") not in (None, "", self._identity) and not self._is_expired(found):
            return None
        fresh = self._renewed(found, epoch=int(spec.get("leaseTransitions") or 0) + 1, acquired=True)
        try:
            return await self._store.update(LEASE, fresh)
        except ConflictError:
            return None

    async def _create(self) -> Object | None:
        metadata = {"name": self._lease.name, "namespace": self._lease.namespace}
        blank: Object = {"apiVersion": LEASE.api_version, "kind": LEASE.kind, "metadata": metadata, "spec": {}}
        try:
            return await self._store.create(LEASE, self._renewed(blank, epoch=1, acquired=True), WriteOptions())
        except AlreadyExistsError:
            return None
        except NotFoundError as error:
            where = self._lease.namespace
            message = f"the namespace {where} of the lease does not exist"
            hint = f"make it with `kubectl create namespace {where}`, or name another with --namespace"
            raise NotFoundError(message, what=error.what, hint=hint, status=error.status) from error

    def _is_expired(self, found: Object) -> bool:
        """Whether the lease stood unchanged for its whole duration while we looked on."""
        spec = found.get("spec") or {}
        now = self._clock.monotonic()
        state = found["metadata"].get("resourceVersion")
        if self._seen is None or self._seen[0] != state:
            self._seen = (state, now)
            return False
        return now - self._seen[1] >= float(spec.get("leaseDurationSeconds") or self._times.duration)

    async def _keep(self, term: Term, held: Object) -> None:
        """Renews in time, or raises LeadershipLostError."""
        while True:
            await self._clock.sleep(self._times.renew_every)
            while True:
                term.check()
                started = self._clock.monotonic()
                try:
                    async with asyncio.timeout(self._times.renew_deadline / 2):
                        held = await self._renew(term, held)
                except NotFoundError as error:
                    raise LeadershipLostError("the lease was deleted") from error
                except LeadershipLostError:
                    raise
                except (CorralError, TimeoutError):
                    await self._clock.sleep(self._times.renew_every / 4)
                else:
                    term.extend(started + self._times.renew_deadline)
                    break

    async def _renew(self, term: Term, held: Object) -> Object:
        try:
            return await self._store.update(LEASE, self._renewed(held, epoch=term.epoch))
        except ConflictError:
            # Somebody touched it, or it was our own write whose answer was lost: ours still if the words say so.
            found = await self._store.get(LEASE, self._lease)
            spec = found.get("spec") or {}
            if spec.get("holderIdentity") != self._identity or spec.get("leaseTransitions") != term.epoch:
                raise LeadershipLostError(f"{spec.get('holderIdentity') or 'nobody'} holds the lease now") from None
            return await self._store.update(LEASE, self._renewed(found, epoch=term.epoch))

    async def _release(self) -> None:
        """Gives the lease back, if it is still ours, so that the next one need not wait."""
        try:
            async with asyncio.timeout(self._times.renew_every):
                found = await self._store.get(LEASE, self._lease)
                spec = found.get("spec") or {}
                if spec.get("holderIdentity") == self._identity:
                    released = {**found, "spec": {**spec, "holderIdentity": "", "leaseDurationSeconds": 1}}
                    await self._store.update(LEASE, released)
        except (CorralError, TimeoutError) as error:
            _log.info("lease not given back", extra={"lease": str(self._lease), "reason": str(error)})

    def _renewed(self, found: Object, *, epoch: int, acquired: bool = False) -> Object:
        stamp = micro_stamp_of(self._clock.now())
        spec = {
            **(found.get("spec") or {}),
            "holderIdentity": self._identity,
            "leaseDurationSeconds": max(1, int(self._times.duration)),
            "leaseTransitions": epoch,
            "renewTime": stamp,
        }
        if acquired:
            spec["acquireTime"] = stamp
        return {**found, "spec": spec}


async def _awaited(work: Callable[[Term], Awaitable[None]], term: Term) -> None:
    await work(term)


async def _stopped(*tasks: "asyncio.Task[None]") -> None:
    """Cancels tasks and waits for their end; how they ended is for the caller to ask."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.exception()
