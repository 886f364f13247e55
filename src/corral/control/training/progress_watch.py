"""Listening to running jobs: every ten seconds the log of each job's master pod, and what pods carry as annotation.

A job that declares `runPolicy.progress` has its log read. The annotation `corral.dev/progress` needs no declaration: a job
or its node may write there what else would be printed as a JSON line. What was heard last is kept per job in memory; after
a restart it comes back from log, annotation and the status that was written from it.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from corral.control.backoff import Backoff
from corral.control.training.listened_jobs import PROGRESS, ListenedJob, job_with_last_words, listened_job
from corral.errors import CorralError
from corral.kinds.objects import Object, uid_of
from corral.kinds.pod_view import PodView
from corral.ports.clock import Clock
from corral.ports.identity import Randomness
from corral.ports.log_source import LogSource
from corral.reconcile.training.progress import report_in_annotation, report_of
from corral.reconcile.training.world import Report

LISTEN_EVERY = 10.0
HEARD_WITHIN = 2.5 * LISTEN_EVERY
"""A report that was not confirmed for longer says nothing about whether the job goes on."""
LIMIT_BYTES = 256 * 1024
MOST_JOBS = 10_000
_FIRST_LOOK_BACK = 24 * 3600
_OVERLAP = 5
_AT_ONCE = 8
_READ_LIMIT = 8.0
_BACKOFF = Backoff(LISTEN_EVERY, 300.0)

_log = logging.getLogger("corral.control.progress")

Wake = Callable[[ListenedJob], None]
Jobs = Callable[[], Iterable[Object]]
PodsOf = Callable[[Object], Sequence[PodView]]


@dataclass(slots=True)
class _Ear:
    """What is remembered about one job."""

    report: Report | None
    pod_uid: str = ""
    annotation: str = ""
    announces: bool = False
    """Whether the annotation could be understood."""
    heard: float = -math.inf
    """When the job was last understood, by the monotonic clock; also when it had nothing new to say."""
    read: float | None = None
    """When the log of this pod was last read."""
    due: float = 0.0
    failures: int = 0
    heard_out: str = ""
    """The uid of the pod whose last words were read."""


class ProgressWatch:
    """Keeps the latest report of every running job that makes one; `run` it in a task."""

    def __init__(
        self, jobs: Jobs, pods_of: PodsOf, logs: LogSource | None, wake: Wake, clock: Clock, randomness: Randomness
    ) -> None:
        self._jobs = jobs
        self._pods_of = pods_of
        self._logs = logs
        self._wake = wake
        self._clock = clock
        self._randomness = randomness
        self._ears: dict[str, _Ear] = {}
        self._slots = asyncio.Semaphore(_AT_ONCE)

    def get(self, uid: str) -> Report | None:
        """Returns what a job said last; None when it said nothing or nobody could listen lately."""
        ear = self._ears.get(uid)
        if ear is None or self._clock.monotonic() - ear.heard > HEARD_WITHIN:
            return None
        return ear.report

    async def hear_out(self, job: Object) -> None:
        """Reads the log of a speaker that has ended once more, before its job is told to have ended: its last words count."""
        found = job_with_last_words(job, self._pods_of(job))
        if found is None or self._logs is None:
            return
        ear = self._ears.setdefault(found.uid, _Ear(found.reported))
        if ear.heard_out != found.pod.uid:
            ear.heard_out = found.pod.uid
            await self._attend(found, ear)

    def __len__(self) -> int:
        return len(self._ears)

    async def run(self) -> None:
        """Listens until cancelled."""
        while True:
            began = self._clock.monotonic()
            await self.listen()
            await self._clock.sleep(LISTEN_EVERY - (self._clock.monotonic() - began))

    async def listen(self) -> None:
        """Listens once to every job that is due, and forgets those that no longer run."""
        found = [self._listened(job) for job in self._jobs()]
        listened = {job.uid: job for job in found if job is not None}
        for uid in self._ears.keys() - listened.keys():
            del self._ears[uid]
        async with asyncio.TaskGroup() as group:
            for job in list(listened.values())[:MOST_JOBS]:
                ear = self._ears.setdefault(job.uid, _Ear(job.reported))
                group.create_task(self._attend(job, ear))

    def _listened(self, job: Object) -> ListenedJob | None:
        try:
            return listened_job(job, self._pods_of(job))
        except Exception:  # noqa: BLE001 - logged; a poison object hurts only itself
            _log.exception("job not understood", extra={"uid": uid_of(job)})
            return None

    async def _attend(self, job: ListenedJob, ear: _Ear) -> None:
        try:
            await self._hear(job, ear)
        except Exception:  # noqa: BLE001 - logged; a job that cannot be understood hurts only itself
            ear.due = self._clock.monotonic() + _BACKOFF.longest
            _log.exception("progress not understood", extra={"key": str(job.key), "kind": job.kind})

    async def _hear(self, job: ListenedJob, ear: _Ear) -> None:
        if job.pod.uid != ear.pod_uid:
            ear.pod_uid, ear.annotation, ear.announces = job.pod.uid, "", False
            ear.read, ear.due, ear.failures = None, 0.0, 0
        lines: list[str] | None = None
        if job.policy is not None and self._logs is not None and self._clock.monotonic() >= ear.due:
            lines = await self._read(job, ear, self._logs)
        report = self._announced(job, ear)
        if lines is not None:
            report = report_of(lines, job.policy, report, self._clock.now())
        if lines is not None or ear.announces:
            self._take(job, ear, report or Report())
        elif ear.failures:
            ear.heard = -math.inf

    def _announced(self, job: ListenedJob, ear: _Ear) -> Report | None:
        """Returns the report after the annotation, which counts once: later it would contradict newer lines of the log."""
        text = job.pod.metadata.annotations.get(PROGRESS, "")
        if text == ear.annotation:
            return ear.report
        ear.annotation = text
        found = report_in_annotation(text, ear.report, self._clock.now())
        ear.announces = found is not None
        return found or ear.report

    def _take(self, job: ListenedJob, ear: _Ear, report: Report) -> None:
        now = self._clock.monotonic()
        has_news = report != ear.report or now - ear.heard > HEARD_WITHIN
        ear.report, ear.heard = report, now
        if has_news:
            self._wake(job)

    async def _read(self, job: ListenedJob, ear: _Ear, logs: LogSource) -> list[str] | None:
        """Returns the lines since the last look, None when the log could not be read; that is tried ever more rarely."""
        began = self._clock.monotonic()
        back = _FIRST_LOOK_BACK if ear.read is None else math.ceil(began - ear.read) + _OVERLAP
        try:
            async with self._slots, asyncio.timeout(_READ_LIMIT):
                lines = await logs.recent_lines(job.pod_key, job.container, back, LIMIT_BYTES)
        except (CorralError, TimeoutError) as error:
            ear.failures += 1
            wait = _BACKOFF.wait(ear.failures, self._randomness.fraction())
            ear.due = self._clock.monotonic() + wait
            extra = {"key": str(job.key), "pod": job.pod.name, "reason": str(error) or "too slow", "wait": wait}
            _log.info("log not readable", extra=extra)
            return None
        ear.read, ear.failures, ear.due = began, 0, 0.0
        return lines
