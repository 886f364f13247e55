"""What people should hear about the pods of a job, told as events of the job, where they look first."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from corral.kinds.pod_view import ContainerStatus, PodView
from corral.reconcile.plan import EmitEvent
from corral.reconcile.training.failures import evidence_message
from corral.reconcile.training.mishaps import Mishap, told_uids
from corral.reconcile.training.sight import Roster, Sight

_NORMAL_WAITS = {"", "ContainerCreating", "PodInitializing"}
_MOST_PODS = 5
"""Of a wide job in which every pod has the same trouble, so many tell it."""


def evidence(sight: Sight, found: Sequence[Mishap]) -> list[EmitEvent]:
    """Returns what is told about failures that were not told before: the exit code, the class and why."""
    known, events = told_uids(sight.status), []
    for one in found:
        if one.pod.uid in known:
            continue
        code = one.pod.exit_code(sight.job.facts.container)
        if code is not None:
            message = f"Pod: {sight.job.namespace}.{one.pod.name} exited with code {code}"
            events.append(sight.event("ExitedWithCode", message))
        events.append(sight.event("PodFailed", evidence_message(one.failure), warns=True))
    return events


def troubles(sight: Sight, roster: Roster) -> list[EmitEvent]:
    """Returns why pods that should run do not, each said once."""
    found = ((pod, event) for pod in roster.members.values() for event in _of_pod(sight, pod))
    told: dict[str, list[EmitEvent]] = {}
    for pod, event in found:
        if pod.name in told or len(told) < _MOST_PODS:
            told.setdefault(pod.name, []).append(replace(event, repeats=False))
    return [event for events in told.values() for event in events]


def _of_pod(sight: Sight, pod: PodView) -> Iterator[EmitEvent]:
    if pod.is_finished or pod.is_terminating:
        return
    for container in pod.all_containers():
        yield from _of_container(sight, pod, container)
    for condition in pod.status.conditions:
        if condition.type == "PodScheduled" and condition.status == "False":
            message = f"Error pod {pod.name} condition message: {condition.message}"
            yield sight.event(condition.reason or "Unschedulable", message, warns=True)


def _of_container(sight: Sight, pod: PodView, container: ContainerStatus) -> Iterator[EmitEvent]:
    waiting, ended = container.state.waiting, container.state.terminated
    if waiting is not None and waiting.reason not in _NORMAL_WAITS:
        message = f"Error pod {pod.name} container {container.name} waiting message: {waiting.message}"
        yield sight.event(waiting.reason, message, warns=True)
    if ended is not None and ended.exit_code != 0:
        message = (
            f"Error pod {pod.name} container {container.name} exitCode: {ended.exit_code}"
            f" terminated message: {ended.message}"
        )
        yield sight.event(ended.reason or "Error", message, warns=True)
