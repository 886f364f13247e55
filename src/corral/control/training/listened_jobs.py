"""Which jobs are listened to, and by which of their pods."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from corral.kinds.objects import Object, key_of, uid_of
from corral.kinds.pod_view import PodView
from corral.kinds.references import ObjectKey
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.run_policy import ProgressPolicy
from corral.kinds.training.status import Progress
from corral.reconcile.training.labels import JOB_ROLE, REPLICA_INDEX, REPLICA_TYPE
from corral.reconcile.training.progress import report_in_status
from corral.reconcile.training.world import Report

PROGRESS = "corral.dev/progress"
"""On pods: how far the job is, as JSON."""


class ListenedJob(NamedTuple):
    """One running job and the pod that speaks for it."""

    kind: str
    key: ObjectKey
    uid: str
    pod: PodView
    container: str
    policy: ProgressPolicy | None
    """None when only annotations tell: then the log is left alone."""
    reported: Report | None
    """What its status tells."""

    @property
    def pod_key(self) -> ObjectKey:
        """Returns where the pod is."""
        return ObjectKey(self.pod.metadata.namespace, self.pod.name)


def listened_job(job: Object, pods: Sequence[PodView]) -> ListenedJob | None:
    """Returns how to listen to a job, None when it does not run or tells nothing."""
    policy = _policy(job)
    speaker = _first(job, [pod for pod in pods if _can_speak(pod)], only_announced=policy is None)
    return _listened(job, speaker, policy) if speaker is not None and _runs(job) else None


def job_with_last_words(job: Object, pods: Sequence[PodView]) -> ListenedJob | None:
    """Returns a job whose speaker has ended while the job itself is not told to have; None when there is no such pod."""
    policy = _policy(job)
    if policy is None or not _runs(job):
        return None
    speaker = _first(job, [pod for pod in pods if not pod.is_terminating and pod.phase != "Pending"])
    return _listened(job, speaker, policy) if speaker is not None and speaker.is_finished else None


def _first(job: Object, pods: Sequence[PodView], *, only_announced: bool = False) -> PodView | None:
    facts = facts_of(job)
    speakers = [pod for pod in pods if not only_announced or PROGRESS in pod.metadata.annotations]
    return min(speakers, key=lambda pod: _rank(facts, pod), default=None)


def _listened(job: Object, pod: PodView, policy: ProgressPolicy | None) -> ListenedJob:
    facts = facts_of(job)
    return ListenedJob(
        kind=facts.kind,
        key=key_of(job),
        uid=uid_of(job),
        pod=pod,
        container=_container(facts, pod),
        policy=policy,
        reported=_reported(job),
    )


def _runs(job: Object) -> bool:
    status = job.get("status")
    conditions = (status.get("conditions") if isinstance(status, dict) else None) or []
    true = {one.get("type") for one in conditions if isinstance(one, dict) and one.get("status") == "True"}
    return "Running" in true and not true & {"Succeeded", "Failed"}


def _policy(job: Object) -> ProgressPolicy | None:
    try:
        said = job["spec"]["runPolicy"]["progress"]
        return None if said is None else msgspec.convert(said, ProgressPolicy)
    except (KeyError, TypeError, msgspec.ValidationError):
        return None


def _reported(job: Object) -> Report | None:
    said = job["status"].get("progress")
    try:
        return None if said is None else report_in_status(msgspec.convert(said, Progress))
    except msgspec.ValidationError:
        return None


def _can_speak(pod: PodView) -> bool:
    return pod.phase == "Running" and not pod.is_terminating


def _rank(facts: KindFacts, pod: PodView) -> tuple[bool, int, int, str]:
    """Orders pods by whose word counts: the master, then role by role, the first index first."""
    labels = pod.metadata.labels
    role = facts.canonical_role(labels.get(REPLICA_TYPE, ""))
    place = facts.roles.index(role) if role in facts.roles else len(facts.roles)
    index = labels.get(REPLICA_INDEX, "")
    return labels.get(JOB_ROLE) != "master", place, int(index) if index.isdecimal() else 0, pod.name


def _container(facts: KindFacts, pod: PodView) -> str:
    names = [one.name for one in pod.status.container_statuses]
    return facts.container if facts.container in names or not names else names[0]
