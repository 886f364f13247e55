"""The committer: many writers, one fsync.

Writes that arrive while a commit is under way wait for the next one and share it. Rows are added on the event loop,
where it costs microseconds; only COMMIT, which waits for the disk, runs on a thread. SQLite releases the interpreter
lock at every step, so running the inserts on the thread would make each of them fight for it (measured: three times
slower under load).
"""

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable, Sequence

from corral.engine.apiserver import failures
from corral.engine.apiserver.storage.damage import DiskFullError
from corral.engine.apiserver.storage.log import Row, WriteLog
from corral.engine.apiserver.storage.mark import Mark

WRITE_FAILED_EXIT = 74
"""The exit status after a failed write: the supervisor starts the server again, which reads the file anew."""


class Pending:
    """A write on its way to the disk."""

    __slots__ = ("done", "row")

    def __init__(self, row: Row, done: "asyncio.Future[None]") -> None:
        self.row = row
        self.done = done


class Committer:
    """Commits writes in the order in which they were submitted, as many per transaction as are waiting."""

    def __init__(self, log: WriteLog, mark: Mark, committed: Callable[[Sequence[Row]], None]) -> None:
        self._log = log
        self._mark = mark
        self._committed = committed
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Pending] = []
        self._flying: list[Pending] = []
        self._garbage: list[int] = []
        self._dropping: list[int] = []
        self._compact_to = 0
        self._scheduled = False
        self._retried = False
        self._took_off = 0.0
        self._refused: float | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self._orders: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._commit_on_order, name="committer", daemon=True)
        self._thread.start()

    def submit(self, row: Row) -> "asyncio.Future[None]":
        """Takes a write; the future resolves when it is durable, or fails when nothing of it was stored."""
        done: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(Pending(row, done))
        self._idle.clear()
        self._schedule()
        return done

    @property
    def waiting_seconds(self) -> float:
        """Returns for how long the writes under way have waited for the disk; 0 when there are none."""
        return self._loop.time() - self._took_off if self._flying else 0.0

    @property
    def refused_seconds(self) -> float | None:
        """Returns how long ago a write was refused for lack of room; None when none was since the last stored one."""
        return None if self._refused is None else self._loop.time() - self._refused

    def compact(self, revs: Sequence[int], up_to: int) -> None:
        """Lets the rows of superseded revisions be dropped with one of the next commits."""
        self._garbage.extend(revs)
        self._compact_to = max(self._compact_to, up_to)

    async def close(self) -> None:
        """Waits for what is under way, then ends the thread."""
        await self._idle.wait()
        self._orders.put(False)
        await asyncio.to_thread(self._thread.join)

    def _schedule(self) -> None:
        if not self._scheduled and not self._flying:
            self._scheduled = True
            # One turn of the loop later, so that every request read in this turn shares the commit.
            self._loop.call_soon(self._take_off)

    def _take_off(self) -> None:
        self._scheduled = False
        self._took_off = self._loop.time()
        self._flying, self._waiting = self._waiting, []
        try:
            self._log.append(p.row for p in self._flying)
            if len(self._garbage) >= 512:
                self._dropping, self._garbage = self._garbage, []
                self._log.drop(self._dropping, self._compact_to)
        except DiskFullError as error:
            self._land(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the writers hear of it and the process ends
            self._give_up(error)
        else:
            self._orders.put(True)

    def _commit_on_order(self) -> None:
        while self._orders.get():
            problem: Exception | None = None
            try:
                self._log.commit()
                self._mark.write(self._flying[-1].row.rev)
            except Exception as error:  # noqa: BLE001 - carried to the event loop, which decides
                problem = error
            self._loop.call_soon_threadsafe(self._land, problem)

    def _land(self, problem: Exception | None) -> None:
        landed, self._flying = self._flying, []
        dropped, self._dropping = self._dropping, []
        if problem is None:
            self._retried, self._refused = False, None
            try:
                self._committed([p.row for p in landed])
            except Exception as error:  # noqa: BLE001 - memory no longer tells what the file holds, so it is read anew
                self._give_up(error)
            for p in landed:
                if not p.done.done():
                    p.done.set_result(None)
        elif isinstance(problem, DiskFullError):
            self._garbage += dropped
            self._refuse_or_retry(landed, problem)
        else:
            self._give_up(problem)
        if self._waiting:
            self._schedule()
        else:
            self._idle.set()

    def _refuse_or_retry(self, landed: list[Pending], problem: DiskFullError) -> None:
        """Tries once more when merging the write-ahead log made room; otherwise every writer hears of it."""
        try:
            self._log.abandon()
            may_retry = not self._retried and self._log.make_room()
        except Exception as error:  # noqa: BLE001 - whatever it is, the writers hear of it and the process ends
            self._give_up(error)
            return
        self._retried = may_retry
        if may_retry:
            self._waiting = landed + self._waiting
            return
        self._refused = self._loop.time()
        for p in landed:
            _fail(p, failures.insufficient_storage(f"the disk is full, nothing was stored: {problem}"))

    def _give_up(self, error: Exception) -> None:
        """Ends the process: after a failed fsync only the file itself can say what is stored, so it must be read anew."""
        print(f"corral: the state file cannot be written: {error!r}; stopping", file=sys.stderr, flush=True)
        os._exit(WRITE_FAILED_EXIT)


def _fail(pending: Pending, failure: Exception) -> None:
    if not pending.done.done():
        pending.done.set_exception(failure)
