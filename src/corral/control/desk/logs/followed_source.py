"""Following one container through all its runs, in a thread of its own.

A stream that ends says nothing by itself: the container may have ended, or the server, or the node. So the pod is asked
afterwards, and the reading is over only when it began after the container had ended for good.
"""

import time
from collections.abc import Callable

import msgspec

from corral.control.desk.logs.board import Board
from corral.control.desk.logs.cursor import LogCursor
from corral.control.desk.logs.kept import rest_of
from corral.control.desk.logs.reading import Heard, LostPlaceError, Note, Printed, one_stream
from corral.control.desk.logs.sources import Choice, LoggedPod, Source, has_started, is_over, status_of_container
from corral.errors import CorralError, PermanentError, RetryError
from corral.kinds.well_known import POD
from corral.ports.direct_store import DirectStore
from corral.ports.kept_logs import KeptLog, KeptLogs
from corral.ports.log_source import LogOptions
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, InvalidError, NotFoundError, UnauthorizedError


class FollowedSource:
    """Reads one source until its end; what it hears is handed on."""

    def __init__(
        self,
        store: DirectStore,
        source: Source,
        choice: Choice,
        board: Board,
        *,
        kept: KeptLogs,
        hear: Callable[[Heard], None],
        trouble: Callable[[CorralError], None],
    ) -> None:
        self._store = store
        self._source = source
        self._options = choice.options(source.container)
        self._board = board
        self._kept = kept
        self._hear = hear
        self._trouble = trouble
        self._cursor = LogCursor()
        self._run: int | None = None
        self._in_doubt = False
        """Whether a run may have begun unseen: the API does not know yet what happened while it was away."""
        self._wait = 0.1

    def read(self) -> None:
        """Returns when there is nothing more to come."""
        try:
            while not self._board.is_closed and self._read_once():
                pass
        finally:
            self._store.close()

    def _read_once(self) -> bool:
        """Reads what there is; says whether there may be more."""
        try:
            pod = self._pod()
            if pod is None:
                return self._read_kept()
            if not self._await_start(pod):
                return False
            self._catch_up(pod)
            if self._in_doubt:
                self._settle_run()
            self._stream(follow=True)
            return not is_over(pod, self._source.container) and self._await_run(pod)
        except NotFoundError:
            return self._read_kept()
        except (ForbiddenError, UnauthorizedError) as error:
            self._trouble(error)
            return False
        except InvalidError:
            if (seen := self._board.pod(self._source.uid)) is not None and seen.is_played:
                return False  # there is no log, and never will be
            # Between two runs, or just before the first, a node has no log to show.
            time.sleep(0.2)
            return not self._board.is_closed
        except PermanentError as error:
            self._hear(Note(f"{self._source.label}: {error.message}"))
            return False
        except RetryError as error:
            if self._board.is_over and self._kept_of_pod():
                return self._read_kept()
            self._in_doubt = self._cursor.has_begun
            if not getattr(error, "timed_out", False):
                self._trouble(error)
                time.sleep(self._wait)
                self._wait = min(self._wait * 2, 2.0)
            return True

    def _pod(self) -> LoggedPod | None:
        """Returns the pod as it is now, None when it is gone or another one has its name."""
        namespace, name = self._source.pod
        scope = Scope(namespace, fields=f"metadata.name={name}")
        for page in self._store.pages(POD, scope, LoggedPod):
            for pod in page.items:
                if pod.uid == self._source.uid:
                    return pod
        return None

    def _await_start(self, pod: LoggedPod) -> bool:
        """Returns whether the container has begun; waits for it when it may still do so, for days if need be."""
        uid, container = self._source.uid, self._source.container

        def happened() -> bool:
            seen = self._board.pod(uid)
            return seen is None or has_started(seen, container) or seen.is_finished or self._board.is_over

        looked: LoggedPod | None = pod
        while looked is not None and not has_started(looked, container):
            if looked.is_finished or self._board.is_over:
                return False
            self._board.wait(happened, 30.0)
            looked = self._pod()
        return looked is not None

    def _catch_up(self, pod: LoggedPod) -> None:
        """Reads what is left of the run before, when there is a new one, which then is read from its beginning."""
        status = status_of_container(pod, self._source.container)
        run = status.restart_count if status is not None else 0
        if self._run is not None and run > self._run:
            if self._cursor.has_jumped:  # the node served this run before the API told of it, and it is read already
                self._cursor.has_jumped = False
            else:
                self._read_missed(self._run, run)
                self._turn_to(run)
        self._run = run if self._run is None else max(run, self._run)

    def _read_missed(self, since: int, until: int) -> None:
        """Reads what was not read of the runs before one: from what is kept, else as far as the node shows it."""
        kept = [one for one in self._kept_of_pod() if since <= one.run < until]
        for one in kept:
            for pieces in rest_of(one, self._cursor if one.run == since else LogCursor()):
                self._hear(Printed(self._source, pieces))
        if kept:
            return
        if until > since + 1:
            self._hear(Note(f"{self._source.label} was restarted {until - since} times; some lines are gone"))
            self._turn_to(until - 1)
        self._read_rest_of_previous()

    def _settle_run(self) -> None:
        """Finds out whether the log that is served is still the one that was read before a cut."""
        try:
            self._stream(follow=False, strictly=True)
        except LostPlaceError:
            run = self._run or 0
            latest = max((one.run for one in self._kept_of_pod()), default=run)
            if latest > run:
                self._read_missed(run, latest)
                self._turn_to(latest)
            elif self._read_rest_of_previous():
                self._turn_to(run + 1)
        self._in_doubt = False

    def _read_rest_of_previous(self) -> bool:
        """Reads on in the run before; says whether that was the one that was being read."""
        try:
            self._stream(follow=False, previous=True, strictly=True)
        except (InvalidError, NotFoundError, LostPlaceError):
            return False  # a node keeps no more than it wants to
        return True

    def _turn_to(self, run: int) -> None:
        self._run, self._in_doubt = run, False
        self._cursor = LogCursor()
        self._options = LogOptions(container=self._source.container, timestamps=True)

    def _read_kept(self) -> bool:
        """Reads the rest from where the node of this machine keeps it, when nobody else can tell; nothing comes after."""
        begin = 0 if self._run is None else self._run
        for one in self._kept_of_pod():
            if one.run < begin:
                continue
            cursor = self._cursor if one.run == begin else LogCursor()
            for pieces in rest_of(one, cursor):
                self._hear(Printed(self._source, pieces))
        return False

    def _kept_of_pod(self) -> list[KeptLog]:
        """Returns what is kept of this container, run by run."""
        namespace, name = self._source.pod
        mine = (self._source.uid, self._source.container)
        found = [one for one in self._kept(namespace, name) if (one.uid, one.container) == mine]
        return sorted(found, key=lambda one: one.run)

    def _stream(self, *, follow: bool, previous: bool = False, strictly: bool = False) -> None:
        options = msgspec.structs.replace(self._options, follow=follow, previous=previous)
        for pieces in one_stream(self._store, self._source, options, self._cursor, strictly=strictly):
            self._wait = 0.1
            self._hear(Printed(self._source, pieces))

    def _await_run(self, before: LoggedPod) -> bool:
        """Waits until the container is started again or has ended for good, after which it is read once more."""
        uid, container, run = self._source.uid, self._source.container, self._run or 0

        def happened() -> bool:
            seen = self._board.pod(uid)
            status = status_of_container(seen, container) if seen is not None else None
            if seen is None or status is None or is_over(seen, container) or self._board.is_over:
                return True
            return status.restart_count > run

        # A container that goes on although its stream ended is asked again soon.
        status = status_of_container(before, container)
        was_running = status is not None and status.state.running is not None
        self._board.wait(happened, 0.5 if was_running else 30.0)
        return True
