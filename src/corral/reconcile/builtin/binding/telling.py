"""How a pod is told that it fits nowhere: its condition PodScheduled, and when that already says so."""

from corral.kinds.objects import Object, identity_of
from corral.reconcile.builtin.pods import condition_of
from corral.reconcile.moments import stamp_of

_TYPE, _REASON = "PodScheduled", "Unschedulable"


def is_told(pod: Object, sentence: str) -> bool:
    """Whether a pod says this already."""
    told = condition_of(pod, _TYPE)
    return told is not None and (told.get("status"), told.get("reason"), told.get("message")) == (
        "False",
        _REASON,
        sentence,
    )


def telling(pod: Object, sentence: str, now: float) -> Object:
    """Returns the strategic patch of a pod's status; it holds for this version of the pod only."""
    told = condition_of(pod, _TYPE)
    since = told.get("lastTransitionTime") if told is not None and told.get("status") == "False" else None
    condition = {
        "type": _TYPE,
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": since or stamp_of(now),
        "reason": _REASON,
        "message": sentence,
    }
    _, _, uid, version = identity_of(pod)
    return {"metadata": {"uid": uid, "resourceVersion": version}, "status": {"conditions": [condition]}}
