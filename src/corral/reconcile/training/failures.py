"""Why a pod failed: each failure is put into one class once, and the evidence is kept.

The class answers whose turn it is (the user's, the cluster's, nobody's); whether the pod comes back is decided by the
restart policy, as upstream decides it. The order of looking matters: a pod that was evicted or preempted may end with
any exit code, since its program had time to react; a node that is merely gone explains no code that a program chose.
"""

from collections.abc import Sequence
from typing import NamedTuple

from corral.kinds.pod_view import PodCondition, PodView, Terminated
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.status import Failure, FailureClass
from corral.reconcile.moments import seconds_of, stamp_of
from corral.reconcile.training.world import World

DUMP_STACKS = "corral.dev/dump-stacks"
"""On pods: since when a node is asked to write down where the processes are stuck (see `hangs`)."""

LONGEST_MESSAGE = 300

_OOM = "OOMKilled"
_OWN_LIMIT = ("exceeds the limit", "exceeds the total limit", "exceeded its local ephemeral storage limit")
"""By these words the kubelet evicts a pod for what it did itself, not for what its neighbours did."""
_TAKEN_AWAY = {"PreemptionByScheduler", "EvictionByEvictionAPI", "TerminationByKubelet"}
_ANNOUNCED_END = {"Preempting", "Evicted", "Terminated", "NodeShutdown", "Shutdown"}
_BROKEN_NODE = {"NodeLost", "UnexpectedAdmissionError", "TopologyAffinityError"}
_REFUSED_FOR_THE_SPEC = {
    "SysctlForbidden",
    "AppArmor",
    "Seccomp",
    "PodOSNotSupported",
    "PodOSSelectorNodeLabelDoesNotMatch",
}
_REFUSED_BY_RACE = {"NodeAffinity", "NodePorts", "NodeName", "InsufficientResource"}
_NO_SUCH_PROGRAM = (
    "executable file not found",
    "no such file or directory",
    "permission denied",
    "exec format error",
    "argument list too long",
)
_SELF_INFLICTED = {4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV", 31: "SIGSYS"}
"""Signals that a program brings upon itself; the same code will bring them again."""
_SIGNALS = {1: "SIGHUP", 2: "SIGINT", 9: "SIGKILL", 10: "SIGUSR1", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM"} | {
    15: "SIGTERM",
    **_SELF_INFLICTED,
}
_LAST_SIGNAL = 64


class Evidence(NamedTuple):
    """What speaks for a class: the machine's word for it and the human's."""

    class_: FailureClass
    reason: str
    message: str = ""


class _Ended(NamedTuple):
    """The container whose end explains the pod's."""

    container: str
    terminated: Terminated


def failure_of(job: TrainingJob, place: Place, pod: PodView, world: World, now: float) -> Failure:
    """Returns the failure of a pod that has failed, is lost, or is deleted while it ran."""
    ended = _ended(pod, job.facts.container)
    evidence = (
        _out_of_memory(pod)
        or _hanging(pod, world)
        or _cluster_word(pod, world)
        or _own_error(ended)
        or _lost_node(pod, world)
        or _exit(ended)
        or _no_exit(pod)
    )
    return Failure(
        class_=evidence.class_,
        time=stamp_of(now),
        role=place.role,
        index=place.index,
        pod=pod.name,
        pod_uid=pod.uid,
        node=pod.node,
        exit_code=ended.terminated.exit_code if ended else None,
        reason=evidence.reason,
        message=_cut(evidence.message),
        attempt=int((world.job.get("status") or {}).get("attempt") or 0),
    )


def retryable_exit(code: int | None) -> bool:
    """Whether restart policy ExitCode starts a pod again: ended by a signal, or without any code (evicted, node gone)."""
    return code is None or code >= 128


def counts(failure: Failure) -> bool:
    """Whether a failure uses up the back-off limit; what others take away from a job does not."""
    return failure.class_ != "preempted"


def is_worth_retrying(failure: Failure, previous: Sequence[Failure]) -> bool:
    """Whether another try can end differently: memory that was too small twice in one place will be so again.

    Asked only for jobs that chose restarts of the whole gang; the others keep the upstream rules.
    """
    if failure.class_ != "oom":
        return True
    return not any(
        one.class_ == "oom"
        and (one.role, one.index) == (failure.role, failure.index)
        and one.pod_uid != failure.pod_uid
        for one in previous
    )


def evidence_message(failure: Failure) -> str:
    """Returns one sentence for events and conditions: what happened where, by which evidence, and what may help."""
    where = f" on node {failure.node}" if failure.node else ""
    said = f": {failure.message}" if failure.message else ""
    hint = _HINTS.get(failure.reason) or _CLASS_HINTS.get(failure.class_, "")
    return f"Pod {failure.pod}{where} {_what(failure)}{said}".rstrip(".") + "." + (f" {hint}" if hint else "")


# --- looking, in this order -------------------------------------------------------------------------------------------


def _out_of_memory(pod: PodView) -> Evidence | None:
    for one in pod.all_containers():
        ended = one.state.terminated
        if ended is not None and ended.reason == _OOM and ended.exit_code:
            # Some nodes measure how much it was.
            measured = f" ({ended.message.strip()})" if ended.message.strip() else ""
            return Evidence("oom", _OOM, f"container {one.name} used more memory than its limit{measured}")
    return None


def _hanging(pod: PodView, world: World) -> Evidence | None:
    """A pod deleted after it was asked for its stacks was killed for a hang, unless the job went on meanwhile."""
    asked = seconds_of(pod.metadata.annotations.get(DUMP_STACKS))
    if asked is None or not pod.is_terminating:
        return None
    if world.report is not None and world.report.since > asked:
        return None
    return Evidence("hang", "NoProgress", "the job reported no further step")


def _cluster_word(pod: PodView, world: World) -> Evidence | None:
    """What the cluster did to the pod; it never does this to one that has ended, so it came before any exit code."""
    reason, message = pod.status.reason, pod.status.message
    if reason == "Evicted" and any(words in message for words in _OWN_LIMIT):
        return Evidence("user", "Evicted", message)
    disrupted = next((one for one in pod.status.conditions if _is_disruption(one)), None)
    if disrupted is None:
        return _pod_reason(reason, message)
    if disrupted.reason == "DeletionByTaintManager" and pod.node in world.lost_nodes:
        return _lost_node(pod, world)
    return _disruption(disrupted, reason, message)


def _is_disruption(condition: PodCondition) -> bool:
    return condition.type == "DisruptionTarget" and condition.status == "True"


def _disruption(condition: PodCondition, reason: str, message: str) -> Evidence:
    """A node that left takes its pods with it (DeletionByPodGC); every other disruption is somebody's decision."""
    told = message or condition.message
    if condition.reason == "DeletionByPodGC":
        return Evidence("node", "NodeLost", told)
    if condition.reason in _TAKEN_AWAY and reason in _ANNOUNCED_END:
        return Evidence("preempted", reason, told)
    return Evidence("preempted", condition.reason or "DisruptionTarget", told)


def _pod_reason(reason: str, message: str) -> Evidence | None:
    if reason in _ANNOUNCED_END:
        return Evidence("preempted", reason, message)
    if reason in _BROKEN_NODE:
        return Evidence("node", reason, message)
    if reason in _REFUSED_BY_RACE or reason.startswith(("OutOf", "Insufficient")):
        return Evidence("infra", reason, message)
    if reason in _REFUSED_FOR_THE_SPEC or reason == "DeadlineExceeded":
        return Evidence("user", reason, message)
    return None


def _own_error(ended: _Ended | None) -> Evidence | None:
    """An exit code below 128 is the program's own, also when the node is lost meanwhile."""
    if ended is None or not 0 < ended.terminated.exit_code < 128:
        return None
    return Evidence("user", ended.terminated.reason or "Error", _told(ended))


def _lost_node(pod: PodView, world: World) -> Evidence | None:
    if not pod.node or pod.node not in world.lost_nodes:
        return None
    return Evidence("node", "NodeLost", f"node {pod.node} is gone or not ready")


def _exit(ended: _Ended | None) -> Evidence | None:
    if ended is None or ended.terminated.exit_code == 0:
        return None
    code, reason = ended.terminated.exit_code, ended.terminated.reason
    told = _told(ended)
    if reason in ("StartError", "ContainerCannotRun"):
        is_users = any(words in told.lower() for words in _NO_SUCH_PROGRAM)
        return Evidence("user" if is_users else "infra", reason, told)
    if reason == "ContainerStatusUnknown":
        return Evidence("node", reason, told)
    signal = _signal_of(code)
    if signal is None or signal in _SELF_INFLICTED:
        return Evidence("user", _SIGNALS.get(signal or 0) or reason or "Error", told)
    return Evidence("infra", _SIGNALS.get(signal, f"Signal{signal}"), told)


def _no_exit(pod: PodView) -> Evidence:
    if pod.is_terminating:
        return Evidence("unknown", "Deleted", "it was deleted while it ran")
    return Evidence("unknown", pod.status.reason or "NoEvidence", pod.status.message)


def _ended(pod: PodView, training: str) -> _Ended | None:
    """Returns the end of the training container, or else of the first container that ended badly."""
    ends = [_Ended(one.name, one.state.terminated) for one in pod.all_containers() if one.state.terminated is not None]
    trained = next((one for one in ends if one.container == training), None)
    if trained is not None and trained.terminated.exit_code:
        return trained
    return next((one for one in ends if one.terminated.exit_code), trained)


def _signal_of(code: int) -> int | None:
    return code - 128 if 128 < code <= 128 + _LAST_SIGNAL else None


# --- words ------------------------------------------------------------------------------------------------------------


def _told(ended: _Ended) -> str:
    """Returns the last words of a container, which it may leave in its termination message."""
    return ended.terminated.message.strip()


def _cut(text: str) -> str:
    """Returns a message on one line and of bounded length; the end of a traceback is what tells most."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[-4 * LONGEST_MESSAGE :]).split())
    return line if len(line) <= LONGEST_MESSAGE else "..." + line[3 - LONGEST_MESSAGE :]


def _what(failure: Failure) -> str:
    if failure.class_ == "oom":
        return "ran out of memory"
    if failure.class_ == "hang":
        return "hangs"
    if failure.class_ == "preempted":
        return f"had to make room ({failure.reason})"
    if failure.class_ == "node":
        return f"was lost with its node ({failure.reason})"
    if failure.exit_code:
        signal = _signal_of(failure.exit_code)
        by = f", {_SIGNALS[signal]}" if signal in _SIGNALS else ""
        return f"exited with code {failure.exit_code}{by} ({failure.class_})"
    return f"failed ({failure.reason or failure.class_})"


_HINTS = {
    "SIGBUS": "Shared memory may be too small: mount an emptyDir of medium Memory at /dev/shm.",
    "Deleted": "",
    "Evicted": "Ask for as much memory and local storage as the job uses, so that it is not the first to go.",
    "StartError": "The command may not be in the image.",
    "ContainerCannotRun": "The command may not be in the image.",
}
_CLASS_HINTS: dict[str, str] = {
    "oom": "Raise the memory limit of the container, or make batches smaller.",
    "user": "Look at the log of the pod; the same program will fail again.",
    "infra": "Something outside of the program ended it.",
    "node": "It is not the program's fault.",
    "preempted": "This does not count against the back-off limit.",
    "hang": "Its log tells where it stood still.",
}
