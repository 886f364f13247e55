"""The phase of a pod, from what its containers do: the rules of kubelet. Pure."""

from corral.engine.node.pods.sight import ALWAYS, NEVER, ContainerSight, PodSight


def phase_of(sight: PodSight) -> str:
    """Returns Pending, Running, Succeeded or Failed; the last two only when nothing of the pod runs any more."""
    if not sight.running and (sight.verdict[0] or sight.is_deleting):
        return _last_phase(sight)
    outcome = outcome_of(sight)
    if outcome:
        return "Running" if sight.running else outcome
    if not are_initialized(sight) or any(one.latest is None for one in sight.mains):
        return "Pending"
    return "Running"


def outcome_of(sight: PodSight) -> str:
    """Returns Succeeded or Failed when the work of the pod is done, whatever sidecars still do; nothing before that."""
    if not are_initialized(sight):
        return "Failed" if sight.policy == NEVER and _has_failed_init(sight) else ""
    if sight.policy == ALWAYS or any(not one.has_ended for one in sight.mains):
        return ""
    if all(one.has_succeeded for one in sight.mains):
        return "Succeeded"
    return "Failed" if sight.policy == NEVER else ""


def are_initialized(sight: PodSight) -> bool:
    """Whether every init container has done its part; once a main container has run, they all have."""
    return any(one.latest is not None for one in sight.mains) or all(_is_done(one) for one in sight.inits)


def _is_done(container: ContainerSight) -> bool:
    if container.is_sidecar:
        return container.is_running and container.has_started
    return container.has_succeeded


def _has_failed_init(sight: PodSight) -> bool:
    return any(one.has_ended and not one.has_succeeded for one in sight.inits if not one.is_sidecar)


def _last_phase(sight: PodSight) -> str:
    """The phase of a pod that was ended: only one whose containers all had ended well has succeeded."""
    is_good = not sight.verdict[0] and sight.policy != ALWAYS and all(one.has_succeeded for one in sight.mains)
    return "Succeeded" if is_good else "Failed"
