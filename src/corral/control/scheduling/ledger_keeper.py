"""Keeping the ledger: one object, written by compare-and-swap, by one writer at a time.

Whatever is promised between two writes goes with the next one, so a write is paid for by everything that came meanwhile.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import NamedTuple

from corral.control.backoff import Backoff
from corral.control.leadership import LeadershipLostError
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.scheduling.promises import Judgement, judged, raised
from corral.errors import CorralError, PermanentError, RetryError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.ledger import Decision, Ledger, ledger_of, object_of
from corral.kinds.well_known import CONFIG_MAP
from corral.ports.object_store import WriteOptions
from corral.ports.refusals import AlreadyExistsError, ConflictError, InvalidError, NotFoundError

_log = logging.getLogger("corral.control.scheduling")
_BACKOFF = Backoff(0.05, 2.0)
_UNREADABLE = Backoff(5.0, 60.0)


class LedgerCounts(NamedTuple):
    """What happened so far, for metrics."""

    writes: int = 0
    conflicts: int = 0


class LedgerKeeper:
    """Holds one reign's view of the ledger; `holder` must be another one for each reign."""

    def __init__(self, runtime: Runtime, key: ObjectKey, holder: str, fence: Fence) -> None:
        self.ledger = Ledger()
        self.counts = LedgerCounts()
        self.least_epoch = 0
        """The highest epoch that this process knows: a ledger that somebody deleted does not begin again below it."""
        self.beside: Callable[[Ledger], Ledger] = lambda ledger: ledger
        """Puts into a ledger what else must stand in it; asked at the last moment before each write."""
        self._store = runtime.store
        self._clock = runtime.clock
        self._randomness = runtime.randomness
        self._key = key
        self._holder = holder
        self._fence = fence
        self._object: Object = {}
        self._writing = asyncio.Lock()

    @property
    def epoch(self) -> int:
        """Returns the epoch of this reign, 0 before it began."""
        return self.ledger.epoch

    @property
    def taken(self) -> int:
        """Returns how many bytes of the object are taken by what is no decision."""
        return sum(map(len, object_of(self.ledger._replace(decisions=()), {})["data"].values()))

    async def begin(self) -> Ledger:
        """Raises the epoch and returns what was promised before; from now on nobody who began earlier can promise anything.

        A ledger that cannot be read is waited for: to take it for empty would give away what it holds.
        """
        failures = 0
        while True:
            self._fence()
            try:
                return await self._begin()
            except ConflictError:
                continue
            except RetryError as error:
                failures += 1
                _log.info("waiting for the API", extra={"reason": error.message})
                await self._pause(_BACKOFF, failures)
            except PermanentError as error:
                failures += 1
                _log.warning("no ledger: %s", error.message, extra={"hint": error.hint} if error.hint else {})
                await self._pause(_UNREADABLE, failures)

    async def _begin(self) -> Ledger:
        metadata = {"namespace": self._key.namespace, "name": self._key.name}
        try:
            found = await self._store.get(CONFIG_MAP, self._key)
        except NotFoundError:
            ledger = raised(Ledger(self.least_epoch), self._holder)
            try:
                fresh = object_of(ledger, {"metadata": metadata})
                self._object = await self._store.create(CONFIG_MAP, fresh, WriteOptions(deterministic=True))
            except AlreadyExistsError as error:  # another one's, or our own whose answer was lost
                raise ConflictError(error.message) from error
        else:
            earlier = ledger_of(found)
            ledger = raised(earlier._replace(epoch=max(earlier.epoch, self.least_epoch)), self._holder)
            self._object = await self._store.update(CONFIG_MAP, object_of(ledger, found))
        self.ledger = ledger
        _log.info("scheduling", extra={"epoch": ledger.epoch, "promised": len(ledger.decisions)})
        return ledger

    async def write(self, rows: Callable[[], tuple[Decision, ...]]) -> None:
        """Writes what is promised now; `rows` is asked at the last moment.

        Raises LeadershipLostError when it is not ours, and InvalidError when the server does not take it: it is too large.
        """
        async with self._writing:
            wanted = self.beside(self.ledger._replace(decisions=rows()))
            if wanted == self.ledger:
                return
            failures = 0
            while True:
                self._fence()
                try:
                    await self._write(wanted)
                    return
                except (LeadershipLostError, InvalidError):
                    raise
                except RetryError as error:
                    failures += 1
                    _log.info("ledger not written yet", extra={"reason": error.message})
                    await self._pause(_BACKOFF, failures)
                except PermanentError as error:
                    raise _lost(error.message) from error

    async def _write(self, wanted: Ledger) -> None:
        try:
            self._object = await self._store.update(CONFIG_MAP, object_of(wanted, self._object))
        except ConflictError:
            self.counts = self.counts._replace(conflicts=self.counts.conflicts + 1)
            found = await self._store.get(CONFIG_MAP, self._key)
            judgement = judged(wanted, ledger_of(found))
            if judgement is Judgement.LOST:
                raise _lost(f"{ledger_of(found).holder or 'somebody'} has raised the epoch") from None
            self._object = found
            if judgement is Judgement.AGAIN:
                self._object = await self._store.update(CONFIG_MAP, object_of(wanted, found))
        self.counts = self.counts._replace(writes=self.counts.writes + 1)
        self.ledger = wanted

    async def confirm(self) -> None:
        """Returns when the ledger was found to be our own after this call began; raises LeadershipLostError when it is not."""
        failures = 0
        while True:
            self._fence()
            try:
                found = ledger_of(await self._store.get(CONFIG_MAP, self._key))
            except RetryError as error:
                failures += 1
                _log.info("ledger not read yet", extra={"reason": error.message})
                await self._pause(_BACKOFF, failures)
                continue
            except PermanentError as error:
                raise _lost(error.message) from error
            if (found.epoch, found.holder) != (self.ledger.epoch, self._holder):
                raise _lost(f"{found.holder or 'somebody'} has raised the epoch")
            return

    async def _pause(self, backoff: Backoff, failures: int) -> None:
        await self._clock.sleep(backoff.wait(failures, self._randomness.fraction()))


def _lost(why: str) -> CorralError:
    return LeadershipLostError(f"the ledger is not ours any more: {why}")
