"""Rules about jobs that somebody holds back: a person, a queue, a quota, or nobody who looks after them. Pure."""

import re
from typing import Any, Final

from corral.control.desk.jobs.events import Told
from corral.control.desk.jobs.lines import conditions_of
from corral.control.desk.jobs.status_words import QUEUE_NAME, is_held_by_a_queue, is_queued, is_suspended
from corral.control.desk.why.situation import Situation
from corral.control.desk.why.words import amount, nanos_of, plain, some
from corral.kinds.objects import labels_of
from corral.kinds.reasons import Evidence, Reason
from corral.kinds.spans import span
from corral.reconcile.moments import seconds_of

UNSEEN_AFTER: Final = 5.0
"""An operator that is there says within so many seconds that it has seen a job."""
_QUOTA: Final = re.compile(r"exceeded quota: ([^,]+), requested: (.*?), used: (.*?), limited: (.*)")
_AMOUNT: Final = re.compile(r"([\w./-]+)=([^,\s]+)")


def leaving(situation: Situation) -> Reason | None:
    """A job whose deletion was asked for."""
    metadata = situation.job.object["metadata"]
    asked = seconds_of(metadata.get("deletionTimestamp"))
    if asked is None:
        return None
    held = [str(one) for one in metadata.get("finalizers") or []]
    waits = f"; it waits for {', '.join(held)}" if held else ""
    sentence = f"it is being deleted, since {span(situation.now - asked)}{waits}"
    seen = tuple(Evidence(f"pod/{pod.name}", f"still there, {pod.phase}") for pod in situation.pods[:3])
    return Reason("deleting", sentence, {"pods": len(situation.pods)}, seen)


def suspended(situation: Situation) -> Reason | None:
    """A job that a queue has not let in, or that somebody has suspended."""
    obj, name = situation.job.object, situation.name
    if not is_suspended(obj) and situation.line.status != "QUEUING":
        return None
    if is_queued(obj) or situation.line.status == "QUEUING":
        queue = labels_of(obj).get(QUEUE_NAME, "")
        who = f'the queue "{queue}"' if queue else "kube-queue" if is_held_by_a_queue(obj) else "its queue"
        steps = ("ask who looks after the queue, or submit it without one", f"corral get {name} -e")
        seen = tuple(Evidence(one.about, one.message) for one in situation.events[-3:])
        return Reason("queued", f"it waits until {who} lets it in", {"queue": queue}, seen, steps)
    sentence = "it is suspended: somebody has asked for it to wait"
    return Reason("suspended", sentence, next_steps=(f"corral resume {name}",))


def invalid(situation: Situation) -> Reason | None:
    """A job that the operator cannot take as it is."""
    told = [one for one in conditions_of(situation.job.object) if one.get("type") == "Invalid"]
    if not told or told[-1].get("status") != "True":
        return None
    seen = (Evidence("job", str(told[-1].get("message", ""))),)
    steps = ("correct the fields that are named, and apply it again",)
    return Reason("invalid", "it is not valid, so the operator does nothing for it", evidence=seen, next_steps=steps)


def unseen(situation: Situation) -> Reason | None:
    """A job that no operator has said anything about."""
    line = situation.line
    age = 0.0 if line.created is None else situation.now - line.created
    if conditions_of(situation.job.object) or situation.pods or not situation.job.is_training or age < UNSEEN_AFTER:
        return None
    sentence = (
        f"no operator has seen it in {span(age)}: none that looks after {situation.job.resource.plural} is running"
    )
    steps = (
        "on one machine: corral status",
        "on a cluster: see that `corral operator`, or another training operator, runs",
    )
    return Reason("no-operator", sentence, {"seconds": int(age)}, next_steps=steps)


def refused(situation: Situation) -> Reason | None:
    """A job whose pods the API refuses: because of a quota, or of something else."""
    missing = situation.line.total - len(situation.pods)
    told = [one for one in situation.events if one.is_warning and one.reason.startswith("FailedCreate")]
    if missing <= 0 or not told:
        return None
    last = told[-1]
    if found := _QUOTA.search(last.message):
        return _quota(situation, last, found, missing)
    sentence = f"{some(missing, situation.line.total)} cannot be made: the API refuses them"
    steps = ("correct what the message names, or ask an administrator",)
    return Reason("pods-refused", sentence, {"missing": missing}, (Evidence(last.about, last.message),), steps)


def _quota(situation: Situation, told: Told, found: "re.Match[str]", missing: int) -> Reason:
    name, requested, used, limited = (part.strip() for part in found.groups())
    wanted, taken, most = (dict(_AMOUNT.findall(part)) for part in (requested, used, limited))
    parts: list[str] = []
    numbers: dict[str, Any] = {"quota": name, "missing": missing}
    for resource, text in wanted.items():
        bare = resource.removeprefix("requests.").removeprefix("limits.")
        free = nanos_of(most.get(resource, 0)) - nanos_of(taken.get(resource, 0))
        parts.append(f"a pod needs {amount(bare, nanos_of(text))}, and {_left(bare, free)} left")
        numbers |= {
            "resource": resource,
            "needed": plain(nanos_of(text)),
            "free": plain(free),
            "limit": plain(nanos_of(most.get(resource, 0))),
        }
    why = f": {'; '.join(parts)} of the quota" if parts else ""
    sentence = f'{some(missing, situation.line.total)} cannot be made, since the quota "{name}" is used up{why}'
    steps = (
        f"corral list -n {situation.job.key.namespace} --status running",
        "wait until something of yours ends, or ask for a larger quota",
    )
    return Reason("quota", sentence, numbers, (Evidence(told.about, told.message),), steps)


def _left(resource: str, free: int) -> str:
    return f"{amount(resource, max(free, 0))} is" if resource == "memory" else f"{amount(resource, max(free, 0))} are"
