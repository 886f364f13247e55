"""What a Job makes of a failed pod: `podFailurePolicy`, whose first matching rule decides."""

from collections.abc import Iterable
from typing import NamedTuple

from corral.kinds.objects import Object
from corral.reconcile.builtin.pods import phase_of


class Judgement(NamedTuple):
    """An action (Count, Ignore, FailIndex or FailJob) and the words for it."""

    action: str
    message: str = ""


COUNT = Judgement("Count")


def judged(job: Object, pod: Object) -> Judgement:
    """Returns what the policy says about a failed pod; without a matching rule it counts."""
    policy = job["spec"].get("podFailurePolicy")
    if not policy or phase_of(pod) != "Failed":
        return COUNT
    for number, rule in enumerate(policy.get("rules") or ()):
        found = _matching(rule, pod)
        if found:
            action = str(rule["action"])
            return Judgement(action, f"{found} matching {action} rule at index {number}")
    return COUNT


def _matching(rule: Object, pod: Object) -> str:
    """Returns what in the pod a rule matches, in words, or nothing."""
    name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    if codes := rule.get("onExitCodes"):
        for container, code in _exit_codes(pod):
            wanted = codes.get("containerName")
            if wanted and wanted != container:
                continue
            if (code in codes["values"]) == (codes["operator"] == "In"):
                return f"Container {container} for pod {name} failed with exit code {code}"
        return ""
    present = {(one.get("type"), one.get("status")) for one in (pod.get("status") or {}).get("conditions") or ()}
    for pattern in rule.get("onPodConditions") or ():
        if (pattern["type"], pattern.get("status") or "True") in present:
            return f"Pod {name} has condition {pattern['type']}"
    return ""


def _exit_codes(pod: Object) -> Iterable[tuple[str, int]]:
    """Yields the containers that ended badly."""
    status = pod.get("status") or {}
    for one in [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]:
        code = ((one.get("state") or {}).get("terminated") or {}).get("exitCode")
        if code:
            yield one["name"], int(code)
