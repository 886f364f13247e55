"""Following a job: the lines of all its pods as they come, before a pod exists, across restarts, until the job ends.

One thread watches the pods, one the job, and one reads each container; the caller's thread takes what they hear. All of
them are daemons, and their stores are cut off when the caller leaves: nobody waits for a socket.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from typing import Any, NamedTuple

from corral.control.desk.jobs.lines import ENDED, sizes_of, state_of
from corral.control.desk.logs.board import Board
from corral.control.desk.logs.followed_source import FollowedSource
from corral.control.desk.logs.reading import Heard, Note, Printed, pods_of
from corral.control.desk.logs.sources import Choice, LoggedPod, Source, chosen_sources, has_started, is_over
from corral.control.desk.naming.finding import Found
from corral.control.desk.patience.absence import Absence
from corral.control.desk.patience.list_watch import Listener, Subject, list_and_watch
from corral.control.desk.patience.remarks import TELLS_AFTER
from corral.control.desk.session import Session
from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.well_known import POD
from corral.ports.direct_store import DirectStore
from corral.ports.object_store import Scope

TELLS_AGAIN = 60.0
LAST_WORDS = 30.0
"""How long the logs of containers that have ended may take after the end of the job."""
QUIET_END = 1.0
"""How long a container that goes on after the end of its job is still listened to."""


class Ended(NamedTuple):
    """The job has come to its end; None when it was deleted."""

    object: Object | None


class _Seen(NamedTuple):
    """The job as it is now, None when it is gone."""

    object: Object | None


class _Trouble(NamedTuple):
    error: CorralError


class _Broken(NamedTuple):
    """A thread died of what nobody expected; whoever follows must not wait for it, nor believe that all was heard."""

    error: Exception


class _Done(NamedTuple):
    source: Source


_Message = Heard | _Seen | _Trouble | _Broken | _Done | None
"""None says that pods have changed."""


class Following:
    """One job being followed; iterate over `events`."""

    def __init__(self, session: Session, job: Found, choice: Choice) -> None:
        self._session = session
        self._job = job
        self._choice = choice
        self._sizes = sizes_of(job.object)
        self._board = Board()
        self._inbox: queue.Queue[_Message] = queue.Queue(maxsize=256)
        self._readers: dict[tuple[str, str], Source] = {}
        self._reading: set[tuple[str, str]] = set()
        self._stores: list[DirectStore] = []
        self._end: Ended | None = None
        self._ended_at = 0.0
        self._last_heard = self._last_told = time.monotonic()
        self._next_remark = 0.0
        self._absence = Absence()
        self._last_trouble: CorralError | None = None
        self._knows_of_play = False

    def events(self) -> Iterator[Heard | Ended]:
        """Yields what is heard, and at last how the job ended."""
        self._spawn("pods", self._watch_pods)
        if self._job.resource.kind != POD.kind:
            self._spawn("job", self._watch_job)
        try:
            while not self._is_done():
                if self._board.is_closed:
                    return
                yield from self._next()
            yield from self._unread()
            assert self._end is not None
            yield self._end
        finally:
            self.leave()

    def leave(self) -> None:
        """Ends it, from any thread: whoever waits in `events` comes to their end, and all others with it."""
        self._board.close()
        for store in self._stores:
            store.cut()
        with suppress(queue.Full):
            self._inbox.put_nowait(None)  # who waits for news shall look up

    def _next(self) -> Iterator[Heard]:
        try:
            message = self._inbox.get(timeout=0.2 if self._end is not None else 1.0)
        except queue.Empty:
            yield from self._remarks()
            return
        if isinstance(message, Printed | Note):
            self._last_heard = time.monotonic()
            self._absence.end()
            yield message
        elif isinstance(message, _Trouble):
            yield from self._worry(message.error)
        elif isinstance(message, _Broken):
            raise message.error
        elif isinstance(message, _Done):
            self._reading.discard((message.source.uid, message.source.container))
        else:
            self._absence.end()
            if isinstance(message, _Seen):
                self._take_job(message.object)
            self._start_readers()
            yield from self._of_play()

    # --- the job ---

    def _take_job(self, obj: Object | None) -> None:
        uid = self._job.object["metadata"].get("uid")
        if obj is not None and obj["metadata"].get("uid") != uid:
            obj = None
        if self._end is None and (obj is None or state_of(obj) in ENDED):
            # The pods of a short job may have come and gone unseen: only a fresh list tells.
            self._board.replace(pods_of(self._session.store, self._job.pods))
            self._finish(obj)

    def _finish(self, obj: Object | None) -> None:
        self._end, self._ended_at = Ended(obj), time.monotonic()
        self._board.end()

    def _is_done(self) -> bool:
        if self._end is None:
            return False
        if not self._reading and self._inbox.empty():
            return True
        now = time.monotonic()
        quiet = now - max(self._last_heard, self._ended_at)
        goes_on = all(self._runs_on(uid, container) for uid, container in self._reading)
        return quiet > (QUIET_END if goes_on else LAST_WORDS)

    def _unread(self) -> Iterator[Heard]:
        """Tells whose last lines could not be read in time."""
        late = [self._readers[name].label for name in sorted(self._reading) if not self._runs_on(*name)]
        if late:
            why = f" ({self._last_trouble.message})" if self._last_trouble is not None else ""
            yield Note(f"the log of {', '.join(late)} could not be read to its end{why}")

    def _runs_on(self, uid: str, container: str) -> bool:
        pod = self._board.pod(uid)
        return pod is not None and not is_over(pod, container)

    # --- the readers ---

    def _start_readers(self) -> None:
        pods = self._board.pods()
        for source in chosen_sources(pods, self._choice, self._sizes):
            name = (source.uid, source.container)
            if name not in self._readers:
                self._readers[name] = source
                self._reading.add(name)
                self._spawn(source.label, partial(self._read, source), _Done(source))
        if self._job.resource.kind == POD.kind and self._end is None:
            own = [pod for pod in pods if pod.uid == self._job.object["metadata"].get("uid")]
            if not own or own[0].is_finished:
                self._finish(None)

    def _of_play(self) -> Iterator[Heard]:
        """Says once that there is nothing to hear where a fake node plays a pod."""
        played = next((pod for pod in self._board.pods() if pod.is_played), None)
        if played is not None and not self._knows_of_play:
            self._knows_of_play = True
            yield Note(
                f"pod {played.name} is on {played.node}, which is a fake node: its pods are only played, so nothing of "
                "them runs or prints"
            )

    def _read(self, source: Source, store: DirectStore) -> None:
        followed = FollowedSource(
            store,
            source,
            self._choice,
            self._board,
            kept=self._session.kept,
            hear=self._post,
            trouble=lambda error: self._post(_Trouble(error)),
        )
        followed.read()

    # --- the watches ---

    def _watch_pods(self, store: DirectStore) -> None:
        def take(verb: str, pod: LoggedPod) -> None:
            if verb == "DELETED":
                self._board.drop(pod.uid)
            else:
                self._board.put(pod)
            self._post(None)

        def start(pods: list[LoggedPod]) -> None:
            self._board.replace(pods)
            self._post(None)

        list_and_watch(Subject(store, POD, self._job.pods, LoggedPod), self._listener(start, take))

    def _watch_job(self, store: DirectStore) -> None:
        namespace, name = self._job.key
        scope = Scope(namespace, fields=f"metadata.name={name}")
        listener = self._listener(
            lambda found: self._post(_Seen(found[0] if found else None)),
            lambda verb, obj: self._post(_Seen(None if verb == "DELETED" else obj)),
        )
        list_and_watch(Subject(store, self._job.resource, scope, dict[str, Any]), listener)

    def _listener(self, start: Callable[[list[Any]], None], take: Callable[[str, Any], None]) -> Listener[Any]:
        return Listener(start, take, lambda error: self._post(_Trouble(error)), lambda: self._board.is_closed)

    # --- threads and remarks ---

    def _spawn(self, name: str, work: Callable[[DirectStore], None], last: _Done | None = None) -> None:
        """Does work in a thread, with a store of its own; `last` is what is told at its end, however it came."""

        def run() -> None:
            try:
                with closing(self._session.open_store()) as store:
                    self._stores.append(store)
                    work(store)
            except CorralError as error:
                self._post(_Trouble(error))
            except Exception as error:  # noqa: BLE001 - raised where somebody listens
                self._post(_Broken(error))
            if last is not None:
                self._post(last)

        threading.Thread(target=run, name=f"logs {name}", daemon=True).start()

    def _post(self, message: _Message) -> None:
        while not self._board.is_closed:
            try:
                self._inbox.put(message, timeout=0.5)
                return
            except queue.Full:
                continue

    def _worry(self, error: CorralError) -> Iterator[Heard]:
        """Takes note of trouble: what may pass is borne for a while, everything else is raised."""
        self._absence.bear(error)
        self._last_trouble, now = error, time.monotonic()
        if self._absence.lasts > TELLS_AFTER and now - self._last_told > TELLS_AFTER:
            self._last_told = now
            yield Note(f"still trying: {error.message}")

    def _remarks(self) -> Iterator[Heard]:
        """Says what is awaited when nothing was heard for ten seconds, and after that every minute."""
        now = time.monotonic()
        is_due = now - self._last_heard > TELLS_AFTER and now >= self._next_remark
        if self._end is None and is_due and (awaited := self._awaited()):
            self._next_remark = now + TELLS_AGAIN
            yield Note(f"waiting for {self._job.key.name}: {awaited}")

    def _awaited(self) -> str:
        """Returns which pods have not begun; nothing when all have, and merely say nothing."""
        pods = self._board.pods()
        late = [one for one in pods if not any(has_started(one, each.name) for each in one.spec.containers)]
        if not pods:
            return "there is no pod yet"
        return ", ".join(f"pod {pod.name} is {pod.phase}{_why(pod)}" for pod in late[:3])


def _why(pod: LoggedPod) -> str:
    waiting = next((one.state.waiting for one in pod.all_containers() if one.state.waiting is not None), None)
    told = [one.message for one in pod.status.conditions if one.status == "False" and one.message]
    reason = waiting.reason if waiting is not None and waiting.reason else next(iter(told), "")
    return f" ({reason})" if reason else ""
