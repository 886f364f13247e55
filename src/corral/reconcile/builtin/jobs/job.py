"""Reading a Job: what it asks for and what it has told so far."""

from corral.kinds.objects import Object
from corral.reconcile.builtin.pods import condition_of

TRACKING = "batch.kubernetes.io/job-tracking"
"""The finalizer that holds a pod until it is counted, so that no result is ever lost."""
INDEX = "batch.kubernetes.io/job-completion-index"
BUILT_IN = "kubernetes.io/job-controller"

COMPLETE, FAILED = "Complete", "Failed"
SUCCEEDING, FAILING = "SuccessCriteriaMet", "FailureTarget"


def is_ours(job: Object) -> bool:
    """Whether the built-in controller looks after it, and not another one."""
    return str(job["spec"].get("managedBy") or BUILT_IN) == BUILT_IN


def is_indexed(job: Object) -> bool:
    """Whether each pod has a number of its own."""
    return str(job["spec"].get("completionMode")) == "Indexed"


def completions_of(job: Object) -> int | None:
    """Returns how many pods must succeed, None when any success and no more running pods will do."""
    completions = job["spec"].get("completions")
    return None if completions is None else int(completions)


def parallelism_of(job: Object) -> int:
    """Returns how many pods may run at once."""
    parallelism = job["spec"].get("parallelism")
    return 1 if parallelism is None else int(parallelism)


def backoff_limit_of(job: Object) -> int:
    """Returns how many failures are forgiven."""
    limit = job["spec"].get("backoffLimit")
    return 6 if limit is None else int(limit)


def replaces_only_failed(job: Object) -> bool:
    """Whether a pod that is going counts as running until it has ended."""
    return str(job["spec"].get("podReplacementPolicy")) == "Failed"


def is_suspended(job: Object) -> bool:
    """Whether it shall have no pods for now."""
    return bool(job["spec"].get("suspend"))


def has_true(job: Object, kind: str) -> bool:
    """Whether a condition holds."""
    condition = condition_of(job, kind)
    return condition is not None and condition.get("status") == "True"


def ended_with(job: Object) -> Object | None:
    """Returns the condition that ended it, None while it has not ended."""
    for kind in (COMPLETE, FAILED):
        if has_true(job, kind):
            return condition_of(job, kind)
    return None


def index_of(pod: Object) -> int | None:
    """Returns the completion index of a pod, None when it has none."""
    text = (pod["metadata"].get("annotations") or {}).get(INDEX, "")
    return int(text) if text.isdecimal() else None


def is_tracked(pod: Object) -> bool:
    """Whether a pod waits to be counted."""
    return TRACKING in (pod["metadata"].get("finalizers") or ())
