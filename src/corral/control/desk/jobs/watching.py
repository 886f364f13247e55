"""Watching many jobs: each change of a job or of its pods is told as the lines that changed by it.

One thread watches each kind that is served, and one the pods; the caller's thread takes what they hear. All of them are
daemons: when the caller leaves, nobody waits for a socket.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from corral.control.desk.jobs.lines import JobLine, job_line
from corral.control.desk.jobs.looking import Wanted, newest_first
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.naming.finding import Found, ignored, served_training
from corral.control.desk.naming.kinds import TRAINING_RESOURCES
from corral.control.desk.naming.trainers import trainer_named, trainer_of
from corral.control.desk.patience.absence import Absence
from corral.control.desk.patience.list_watch import Listener, Subject, list_and_watch
from corral.control.desk.session import Session
from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.training.label_names import JOB_NAME
from corral.kinds.well_known import POD
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError

DELETED: Final = "DELETED"
"""The status of a job that is gone; it is told once."""
_TOGETHER: Final = 0.05
"""What comes within so many seconds is told together."""
_LONGEST_TOGETHER: Final = 0.5


class Sight(NamedTuple):
    """What there is after a change: all lines, those that changed, and the jobs of these that are still there."""

    lines: list[JobLine]
    changed: list[JobLine]
    objects: list[Found]


class _News(NamedTuple):
    """What a thread has heard: a whole list, or one object with its verb; jobs of a kind, or pods."""

    resource: ApiResource
    verb: str
    objects: list[Any]


class _Trouble(NamedTuple):
    resource: ApiResource
    error: CorralError


_JobKey = tuple[str, ObjectKey]


def watched_jobs(session: Session, wanted: Wanted, *, on_note: Callable[[str], None] = ignored) -> Iterator[Sight]:
    """Yields what there is, and then what changes, until the caller leaves or the server is away for too long."""
    trainer = trainer_named(wanted.trainer)
    kinds = [one for one in TRAINING_RESOURCES if trainer is None or one.kind == trainer.kind]
    watch = _Watch(session, wanted, served_training(session, kinds), on_note)
    try:
        yield from watch.sights()
    finally:
        watch.is_over = True


class _Watch:
    """One watch over several kinds."""

    def __init__(
        self, session: Session, wanted: Wanted, kinds: list[ApiResource], on_note: Callable[[str], None]
    ) -> None:
        self.is_over = False
        self._session = session
        self._kinds = kinds
        self._refused: set[ApiResource] = set()
        self._on_note = on_note
        self._trainer = wanted.trainer
        namespace = "" if wanted.everywhere else session.namespace
        self._jobs_scope, self._pods_scope = Scope(namespace, labels=wanted.labels), Scope(namespace, labels=JOB_NAME)
        self._inbox: queue.Queue[_News | _Trouble] = queue.Queue(maxsize=256)
        self._jobs: dict[_JobKey, Found] = {}
        self._pods: dict[str, JobPod] = {}
        self._lines: dict[_JobKey, JobLine] = {}
        self._absence = Absence()

    def sights(self) -> Iterator[Sight]:
        """Yields what there is when all kinds were heard once, and then every change."""
        for resource in (*self._kinds, POD):
            self._spawn(resource)
        heard: set[ApiResource] = set()
        while True:
            for news in self._heard():
                self._take(news)
                heard.add(news.resource)
            if heard | self._refused >= {*self._kinds, POD}:
                sight = self._sight()
                if sight.changed:
                    yield sight

    # --- what was heard ---

    def _heard(self) -> Iterator[_News]:
        """Yields the next news and whatever comes with it."""
        deadline: float | None = None
        while True:
            try:
                message = self._inbox.get(timeout=1.0 if deadline is None else _TOGETHER)
            except queue.Empty:
                return
            if isinstance(message, _Trouble):
                self._worry(message)
                continue
            self._absence.end()
            yield message
            deadline = deadline or time.monotonic() + _LONGEST_TOGETHER
            if time.monotonic() > deadline:
                return

    def _take(self, news: _News) -> None:
        if news.resource == POD:
            if news.verb == "LIST":
                self._pods = {pod.uid: pod for pod in news.objects}
            elif news.verb == DELETED:
                self._pods.pop(news.objects[0].uid, None)
            else:
                self._pods[news.objects[0].uid] = news.objects[0]
            return
        found = [Found(news.resource, obj) for obj in news.objects]
        if news.verb == "LIST":
            self._jobs = {key: job for key, job in self._jobs.items() if key[0] != news.resource.kind}
        for job in found:
            key = (news.resource.kind, job.key)
            if news.verb == DELETED:
                self._jobs.pop(key, None)
            elif not self._trainer or trainer_of(job.resource.kind, job.object) == self._trainer:
                self._jobs[key] = job

    def _sight(self) -> Sight:
        pods: dict[ObjectKey, list[JobPod]] = {}
        for pod in self._pods.values():
            key = ObjectKey(pod.metadata.namespace, pod.metadata.labels.get(JOB_NAME, ""))
            pods.setdefault(key, []).append(pod)
        jobs = newest_first(self._jobs.values())
        now = {(job.resource.kind, job.key): job_line(job, pods.get(job.key, [])) for job in jobs}
        gone = [line._replace(status=DELETED) for key, line in self._lines.items() if key not in now]
        changed = [key for key, line in now.items() if self._lines.get(key) != line]
        self._lines = now
        return Sight(list(now.values()), [*(now[key] for key in changed), *gone], [self._jobs[key] for key in changed])

    def _worry(self, trouble: _Trouble) -> None:
        """Bears what may pass for a while, leaves out what is forbidden, and raises everything else."""
        error = trouble.error
        if isinstance(error, ForbiddenError) and trouble.resource not in self._refused:
            self._refused.add(trouble.resource)
            if not self._refused >= set(self._kinds):
                self._on_note(f"left out, since you may not watch them: {trouble.resource.plural}")
                return
        self._absence.bear(error)

    # --- threads ---

    def _spawn(self, resource: ApiResource) -> None:
        threading.Thread(target=partial(self._listen, resource), name=f"watch {resource}", daemon=True).start()

    def _listen(self, resource: ApiResource) -> None:
        is_pods = resource == POD
        scope, shape = (self._pods_scope, JobPod) if is_pods else (self._jobs_scope, dict[str, Any])
        listener: Listener[Any] = Listener(
            lambda found: self._post(_News(resource, "LIST", found)),
            lambda verb, obj: self._post(_News(resource, verb, [obj if is_pods else _whole(resource, obj)])),
            lambda error: self._post(_Trouble(resource, error)),
            lambda: self.is_over,
        )
        store = self._session.open_store()
        try:
            list_and_watch(Subject(store, resource, scope, shape), listener)
        except CorralError as error:
            self._post(_Trouble(resource, error))
        finally:
            store.close()

    def _post(self, message: _News | _Trouble) -> None:
        while not self.is_over:
            try:
                self._inbox.put(message, timeout=0.5)
                return
            except queue.Full:
                continue


def _whole(resource: ApiResource, obj: Object) -> Object:
    return {"apiVersion": resource.api_version, "kind": resource.kind, **obj}
