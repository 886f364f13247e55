"""What has become of a job of the second dialect, as its status tells it.

The launcher's Job decides. Its end is final, and so is the eviction of a worker: one condition ends the job, and with it
comes the completion time.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from corral.kinds.pod_view import PodView
from corral.kinds.training.run_policy import RESTART_SCOPE
from corral.kinds.training.status import JobStatus, ReplicaStatus
from corral.reconcile.frameworks.mpi import LAUNCHER, WORKER
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import EmitEvent
from corral.reconcile.training.conditions import (
    CREATED,
    FAILED,
    INVALID,
    RUNNING,
    SUCCEEDED,
    SUSPENDED,
    Saying,
    find,
    holds,
    said,
    without,
)
from corral.reconcile.training.following import followed, target_message
from corral.reconcile.training.labels import restarts_as_gang
from corral.reconcile.training.limits import deadline_passed
from corral.reconcile.training.mishaps import KEPT_FAILURES
from corral.reconcile.training.mpi_v2.launcher import Verdict, launcher_of, verdict_of
from corral.reconcile.training.mpi_v2.launches import end_of_missing, failure_of_missing, launch_of
from corral.reconcile.training.mpi_v2.losses import mishaps_of, with_failures, workers_of
from corral.reconcile.training.outcome import Outcome
from corral.reconcile.training.sight import Sight
from corral.reconcile.training.troubles import evidence

LONGEST_MESSAGE = 1024
"""What the message of an event may hold."""


class _Telling:
    """The status while it is being told, and the events that go with it; lives for one call."""

    def __init__(self, sight: Sight, status: JobStatus) -> None:
        self.sight, self.status = sight, status
        self.events: list[EmitEvent] = []

    def say(self, saying: Saying, heard: str = "", *, warns: bool = False) -> None:
        """Sets a condition and, if that is news and there are words for it, tells people."""
        conditions = said(self.status.conditions, saying, self.sight.now)
        if conditions != list(self.status.conditions) and heard:
            self.events.append(self.sight.event(saying.reason, heard, warns=warns))
        self.status = replace(self.status, conditions=conditions)

    def end(self, saying: Saying, ended: str = "", *, warns: bool = False) -> None:
        """Sets the condition that ends the job; one that nobody saw running says so."""
        if find(self.status.conditions, RUNNING) is None:
            self.say(Saying(RUNNING, "MPIJobRunning", f"MPIJob {self.sight.job.key} is not running.", "False"))
        self.say(saying, saying.message, warns=warns)
        time = self.status.completion_time or ended or stamp_of(self.sight.now)
        self.status = replace(self.status, completion_time=time)


def invalid_outcome(sight: Sight, message: str) -> Outcome:
    """Returns the status of a job that cannot be run as it is written; told once."""
    held, message = find(sight.status.conditions, INVALID), cut(message)
    kept = sight.status.conditions if held and held.message == message else without(sight.status.conditions, INVALID)
    telling = _Telling(sight, replace(sight.status, conditions=kept))
    telling.say(Saying(INVALID, "ValidationError", message), message, warns=True)
    return Outcome(telling.status, telling.events)


def outcome_of(sight: Sight) -> Outcome:
    """Returns the status of a job that has not ended before this look."""
    status = replace(sight.status, conditions=without(sight.status.conditions, INVALID))
    telling = _Telling(sight, status)
    if not telling.status.conditions:
        message = f"MPIJob {sight.job.key} is created."
        telling.say(Saying(CREATED, "MPIJobCreated", message), message)
        telling.events += _unheeded(sight)
    _tell_suspension(telling)
    found, launch = mishaps_of(sight), launch_of(sight)
    telling.events += evidence(sight, found)
    telling.status = replace(with_failures(sight, telling.status, found), launcher=launch)
    verdict = verdict_of(launcher_of(sight)) or _verdict_of_missing(telling)
    telling.status = replace(telling.status, replica_statuses=_counts(sight, verdict))
    progress = followed(sight, telling.status)
    telling.status = progress.status
    if progress.is_at_target and verdict is None:
        message = target_message(sight, progress.status)
        telling.end(Saying(SUCCEEDED, "MPIJobSucceeded", message))
    _tell_course(telling, verdict)
    return Outcome(telling.status, telling.events)


def _unheeded(sight: Sight) -> list[EmitEvent]:
    """Returns the warning about what this dialect has no part for: restarts are those of the launcher's Job."""
    progress = sight.job.run_policy.progress
    asked = [f"annotation {RESTART_SCOPE}: gang"] if restarts_as_gang(sight.job) else []
    asked += ["runPolicy.progress.hang"] if progress is not None and progress.hang is not None else []
    message = f"Not heeded for an MPIJob v2beta1, whose launcher is restarted by its Job: {', '.join(asked)}"
    return [sight.event("MPIJobNotHeeded", message, warns=True)] if asked else []


def _verdict_of_missing(telling: _Telling) -> Verdict | None:
    """Returns how a run ended whose launcher is gone; that nobody knows it is written down like a failure."""
    launch = telling.status.launcher
    verdict = end_of_missing(telling.sight, launch)
    if launch is not None and verdict is not None and not verdict.succeeded:
        failures = [*telling.status.failures, failure_of_missing(telling.sight, launch)][-KEPT_FAILURES:]
        telling.status = replace(telling.status, failures=failures)
    return verdict


def cut(message: str) -> str:
    """Returns a message no longer than events hold."""
    return message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 3] + "..."


def _tell_suspension(telling: _Telling) -> None:
    sight, now = telling.sight, stamp_of(telling.sight.now)
    if sight.job.run_policy.suspend:
        if find(telling.status.conditions, RUNNING):
            message = f"MPIJob {sight.job.key} is suspended."
            telling.say(Saying(RUNNING, "MPIJobSuspended", message, "False"))
        telling.say(Saying(SUSPENDED, "MPIJobSuspended", "MPIJob suspended"), "MPIJob suspended")
    elif holds(telling.status.conditions, SUSPENDED):
        telling.say(Saying(SUSPENDED, "MPIJobResumed", "MPIJob resumed", "False"), "MPIJob resumed")
        telling.status = replace(telling.status, start_time=now)
    elif telling.status.start_time is None:
        telling.status = replace(telling.status, start_time=now)


def _tell_course(telling: _Telling, verdict: Verdict | None) -> None:
    sight = telling.sight
    workers = list(workers_of(sight).values())
    evicted = sum(pod.phase == "Failed" and pod.status.reason == "Evicted" for pod in workers)
    if verdict is not None and verdict.succeeded:
        message = f"MPIJob {sight.job.key} successfully completed."
        telling.end(Saying(SUCCEEDED, "MPIJobSucceeded", message), verdict.time)
    elif verdict is not None:
        telling.end(_failure(sight, verdict), warns=True)
    elif evicted:
        message = f"{evicted}/{sight.job.count(WORKER)} workers are evicted"
        telling.end(Saying(FAILED, "MPIJobEvicted", message), warns=True)
    elif _is_overdue(telling):
        telling.end(Saying(FAILED, "DeadlineExceeded", "Job was active longer than specified deadline"), warns=True)
    elif not sight.job.run_policy.suspend and _is_running(sight, workers):
        message = f"MPIJob {sight.job.key} is running."
        telling.say(Saying(RUNNING, "MPIJobRunning", message), message.rstrip("."))


def _is_overdue(telling: _Telling) -> bool:
    """Whether time ran out before there was a launcher, whose Job would count it."""
    sight = telling.sight
    if sight.job.run_policy.suspend or launcher_of(sight) is not None:
        return False
    return bool(deadline_passed(sight.job, telling.status, sight.now))


def _is_running(sight: Sight, workers: list[PodView]) -> bool:
    launchers = _active(sight, sight.world.launcher_pods) if launcher_of(sight) is not None else 0
    return launchers > 0 and _active(sight, workers) == sight.job.count(WORKER)


def _active(sight: Sight, pods: Iterable[PodView]) -> int:
    return sum(pod.phase == "Running" and not sight.has_lost(pod) for pod in pods)


def _failure(sight: Sight, verdict: Verdict) -> Saying:
    """Returns the launcher's own words, with those of the last pod that used up its retries."""
    reason = verdict.reason or "MPIJobFailed"
    message = verdict.message or f"MPIJob {sight.job.key} has failed"
    failed = [pod for pod in sight.world.launcher_pods if pod.phase == "Failed"]
    if reason == "BackoffLimitExceeded" and failed:
        last = max(failed, key=lambda pod: (pod.metadata.creation_timestamp or "", pod.name))
        reason = f"{reason}/{last.status.reason}"
        message = f"{message}: {last.status.message}"
    return Saying(FAILED, reason, cut(message))


def _counts(sight: Sight, verdict: Verdict | None) -> dict[str, ReplicaStatus]:
    """Returns the counts; once the launcher has ended or waits, those of workers are no longer told."""
    launcher = launcher_of(sight)
    is_told = verdict is None and not sight.job.run_policy.suspend
    workers = _by_phase(sight, list(workers_of(sight).values())) if is_told else ReplicaStatus()
    if launcher is None and verdict is None:
        return {WORKER: workers}
    failed = int(((launcher or {}).get("status") or {}).get("failed") or 0)
    active = _active(sight, sight.world.launcher_pods) if verdict is None else 0
    succeeded = int(verdict is not None and verdict.succeeded)
    return {LAUNCHER: ReplicaStatus(active=active, succeeded=succeeded, failed=failed), WORKER: workers}


def _by_phase(sight: Sight, pods: list[PodView]) -> ReplicaStatus:
    phases = [pod.phase for pod in pods]
    return ReplicaStatus(
        active=_active(sight, pods), succeeded=phases.count("Succeeded"), failed=phases.count("Failed")
    )
