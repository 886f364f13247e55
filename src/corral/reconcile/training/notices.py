"""Warnings about what the pod templates of a job say and the operator decides."""

from corral.reconcile.plan import EmitEvent
from corral.reconcile.training.gangs import names_other_scheduler
from corral.reconcile.training.sight import Sight


def restart_policy_notice(sight: Sight) -> list[EmitEvent]:
    """Returns the warning that a template has a restart policy of its own, which does not count."""
    if not any((one.template.get("spec") or {}).get("restartPolicy") for one in sight.job.roles.values()):
        return []
    message = "The restart policy in a pod template is replaced by that of its replica spec"
    return [_notice(sight, "PodTemplateRestartPolicy", message)]


def scheduler_notice(sight: Sight) -> list[EmitEvent]:
    """Returns the warning that a template names another scheduler, which counts."""
    if not names_other_scheduler(sight.world.settings.gangs, sight.job):
        return []
    message = "A pod template names another scheduler than the gang scheduler; it is left as it is"
    return [_notice(sight, "PodTemplateSchedulerName", message)]


def _notice(sight: Sight, what: str, message: str) -> EmitEvent:
    return sight.event(f"{sight.framework.notices_begin}{what}", message, warns=True)
