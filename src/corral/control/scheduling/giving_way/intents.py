"""From what was decided about a gang to what is asked of its pods and of its job. Pure."""

from collections.abc import Sequence

from corral.control.scheduling.crowd import Crowd, Known, Standing
from corral.kinds.references import ObjectKey, split_api_version
from corral.kinds.scheduling.concession import Concession, JobName, Leaver, Verb
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.well_known import JOB
from corral.placement.admission.cycle import Eviction, Migration, Resizing

_SUSPENDABLE = {(one.group, one.kind): one for one in (*(facts.resource for facts in TRAINING_KINDS), JOB)}


def eviction(crowd: Crowd, decided: Eviction) -> Concession | None:
    """Returns what an eviction asks for; None when nothing of the gang has a place any more."""
    seated = _seated(crowd, decided.gang)
    sentence = _named(crowd, decided.sentence, decided.gang, decided.beneficiary)
    return _all_of(Verb.EVICT, decided.gang, decided.beneficiary, decided.reason, sentence, seated)


def migration(crowd: Crowd, decided: Migration) -> Concession | None:
    """Returns what a migration asks for: to suspend a job, or to evict its pods where nothing of it can be suspended."""
    seated = _seated(crowd, decided.gang)
    verb = Verb.MOVE if job_of(seated) is not None else Verb.EVICT
    sentence = f"{name_of(crowd, decided.beneficiary)} fits when it moves to other nodes."
    return _all_of(verb, decided.gang, decided.beneficiary, "moved", sentence, seated)


def resizing(crowd: Crowd, decided: Resizing) -> Concession | None:
    """Returns what a resizing asks for; None when nobody could be told: it grows, and no job says how many pods it has."""
    gang, beneficiary = decided.gang, decided.beneficiary
    seated = _seated(crowd, gang)
    job = job_of(seated)
    if job is not None and job.resource == JOB:
        job = None  # its parallelism says how many run at once, not how many may
    going = tuple(_leaver(one) for one in seated if one.uid in decided.leaving)
    if job is None and not going:
        return None
    if decided.becomes >= decided.was:
        sentence, reason = "There is room for more of its pods.", "grown"
    else:
        sentence, reason = f"{name_of(crowd, beneficiary)} waits for room.", "shrunk"
    return Concession(Verb.RESIZE, gang, reason, sentence, beneficiary, going, job, decided.was, decided.becomes)


def name_of(crowd: Crowd, gang: str) -> str:
    """Returns the name of a gang as people know it: that of its pod when it is alone."""
    known = crowd.get(gang)
    return gang if known is None else str(known.key)


def job_of(pods: Sequence[Known]) -> JobName | None:
    """Returns the job that manages all of these pods, of those that can be suspended.

    The launcher of an MPIJob has a Job of its own, which goes by the MPIJob.
    """
    found = {_job(pod) for pod in pods}
    jobs = [one for one in found if one is not None and one.resource != JOB]
    if len(jobs) == 1:
        return jobs[0]
    return next(iter(found)) if len(found) == 1 else None


def _job(pod: Known) -> JobName | None:
    owner = next((one for one in pod.view.metadata.owner_references if one.controller), None)
    if owner is None:
        return None
    group, _ = split_api_version(owner.api_version)
    resource = _SUSPENDABLE.get((group, owner.kind))
    return None if resource is None else JobName(resource, ObjectKey(pod.key.namespace, owner.name), owner.uid)


def _all_of(
    verb: Verb, gang: str, beneficiary: str, reason: str, sentence: str, seated: Sequence[Known]
) -> Concession | None:
    if not seated:
        return None
    pods = tuple(map(_leaver, seated))
    return Concession(verb, gang, reason, sentence, beneficiary, pods, job_of(seated), len(pods), 0)


def _seated(crowd: Crowd, gang: str) -> list[Known]:
    return [one for one in crowd.members(gang) if one.standing is Standing.SEATED]


def _leaver(pod: Known) -> Leaver:
    return Leaver(pod.uid, pod.key)


def _named(crowd: Crowd, sentence: str, *gangs: str) -> str:
    for gang in gangs:
        sentence = sentence.replace(gang, name_of(crowd, gang))
    return sentence
