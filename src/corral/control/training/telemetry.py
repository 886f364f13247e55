"""What the training operator counts, under upstream's names where there are some.

Jobs are counted by their transitions as the cache tells them: from one state to the next of the same object. What
was already so when the operator started was counted by the one before it, and is not counted again.
"""

from collections.abc import Iterable, Sequence

from corral.control.metrics import Counter, Histogram, Metrics, Samples
from corral.control.mirror import Delta
from corral.kinds.objects import Object, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.reading import UnreadableJobError, read_job
from corral.ports.clock import Clock

_JOB_LABELS = ("job_namespace", "framework")


class Telemetry:
    """The numbers of one operator process; they outlive a loss of leadership."""

    def __init__(self, clock: Clock) -> None:
        self.metrics = Metrics()
        self._clock = clock
        self.created = Counter("training_operator_jobs_created_total", "Jobs taken up.", _JOB_LABELS)
        self.deleted = Counter("training_operator_jobs_deleted_total", "Jobs seen to go.", _JOB_LABELS)
        self.successful = Counter("training_operator_jobs_successful_total", "Jobs that succeeded.", _JOB_LABELS)
        self.failed = Counter("training_operator_jobs_failed_total", "Jobs that failed.", _JOB_LABELS)
        self.restarted = Counter("training_operator_jobs_restarted_total", "Restarts of jobs.", _JOB_LABELS)
        self.reconcile_seconds = Histogram("corral_operator_reconcile_seconds", "Time of one look at a job.", ("kind",))
        self.all_pods_seconds = Histogram(
            "corral_operator_all_pods_seconds", "Time from seeing a new job to having all of its pods.", ("kind",)
        )
        self.cron_jobs = Counter("corral_operator_cron_jobs_total", "Jobs made by crons.", ("namespace",))
        self.cron_missed = Counter(
            "corral_operator_cron_missed_total", "Scheduled times that passed without a job.", ("namespace",)
        )
        self._waiting: dict[str, tuple[float, int]] = {}
        self.metrics.add(self.created, self.deleted, self.successful, self.failed, self.restarted)
        self.metrics.add(self.reconcile_seconds, self.all_pods_seconds, self.cron_jobs, self.cron_missed)

    def take(self, facts: KindFacts, deltas: Sequence[Delta[Object]]) -> None:
        """Counts what became different about jobs."""
        for key, old, new in deltas:
            if old is not None and (new is None or uid_of(new) != uid_of(old)):
                self.deleted.add(key.namespace, facts.framework)
                self._waiting.pop(uid_of(old), None)
            if new is not None:
                self._take_state(facts, key, old if old is not None and uid_of(old) == uid_of(new) else None, new)

    def take_crons(self, deltas: Sequence[Delta[Object]]) -> None:
        """Counts what became different about crons."""
        for key, old, new in deltas:
            if old is None or new is None or uid_of(old) != uid_of(new):
                continue
            before, after = _status(old), _status(new)
            last = after.get("lastScheduleTime")
            if last and last != before.get("lastScheduleTime"):
                self.cron_jobs.add(key.namespace)
            more = (after.get("missed") or 0) - (before.get("missed") or 0)
            if more > 0:
                self.cron_missed.add(key.namespace, by=float(more))

    def saw_pods(self, facts: KindFacts, job: Object, pods: int) -> None:
        """Notes when a new job has all of its pods for the first time."""
        begun = self._waiting.get(uid_of(job)) if self._waiting else None
        if begun is not None and pods >= begun[1]:
            del self._waiting[uid_of(job)]
            self.all_pods_seconds.observe(self._clock.monotonic() - begun[0], facts.kind)

    def _take_state(self, facts: KindFacts, key: ObjectKey, old: Object | None, new: Object) -> None:
        before, after = _true_conditions(old), _true_conditions(new)
        if old is None:
            if "Created" not in after:
                self._await_pods(new)
            return
        labels = (key.namespace, facts.framework)
        if "Created" in after and "Created" not in before:
            self.created.add(*labels)
        if "Succeeded" in after and "Succeeded" not in before:
            self.successful.add(*labels)
        if "Failed" in after and "Failed" not in before:
            self.failed.add(*labels)
        if _restarts(new) > _restarts(old) or ("Restarting" in after and "Restarting" not in before):
            self.restarted.add(*labels)
        if "Succeeded" in after or "Failed" in after or "Suspended" in after:
            self._waiting.pop(uid_of(new), None)

    def _await_pods(self, job: Object) -> None:
        try:
            total = read_job(job).total
        except UnreadableJobError:
            return
        self._waiting[uid_of(job)] = (self._clock.monotonic(), total)


def by_one_label(pairs: Iterable[tuple[str, float]]) -> Samples:
    """Returns samples with one label each."""
    return [((label,), value) for label, value in pairs]


def _true_conditions(job: Object | None) -> set[str]:
    """Returns the types of the conditions that hold; what is not a condition does not count."""
    conditions = _status(job).get("conditions")
    listed = conditions if isinstance(conditions, list) else []
    return {str(one.get("type")) for one in listed if isinstance(one, dict) and one.get("status") == "True"}


def _restarts(job: Object) -> int:
    numbers = (_status(job).get(field) for field in ("restarts", "attempt"))
    return sum(number for number in numbers if isinstance(number, int))


def _status(job: Object | None) -> Object:
    status = (job or {}).get("status")
    return status if isinstance(status, dict) else {}
