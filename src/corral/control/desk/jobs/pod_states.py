"""How a pod is, in the one word that kubectl and Arena show: Running, Completed, Error, ImagePullBackOff, Terminating. Pure."""

from corral.kinds.pod_view import ContainerStatus, PodView

LOST = "NodeLost"


def pod_state(pod: PodView) -> str:
    """Returns the word for a pod."""
    word = _of_initialisation(pod) or _of_containers(pod) or pod.status.reason or pod.phase
    if pod.is_terminating and not pod.is_finished:
        return "Unknown" if pod.status.reason == LOST else "Terminating"
    return word


def _of_initialisation(pod: PodView) -> str:
    """Returns what holds up the pod before its containers may start; "" when nothing does."""
    if pod.phase != "Pending" and not pod.is_finished:
        return ""
    for number, one in enumerate(pod.status.init_container_statuses):
        ended, waiting = one.state.terminated, one.state.waiting
        if ended is not None and ended.exit_code == 0:
            continue
        if one.state.running is not None and one.ready:
            continue
        if ended is not None:
            return f"Init:{ended.reason or f'ExitCode:{ended.exit_code}'}"
        if waiting is not None and waiting.reason not in ("", "PodInitializing"):
            return f"Init:{waiting.reason}"
        return f"Init:{number}/{len(pod.status.init_container_statuses)}"
    return ""


def _of_containers(pod: PodView) -> str:
    statuses = pod.status.container_statuses
    words = [word for one in statuses if (word := _of_container(one))]
    is_running = any(one.state.running is not None and one.ready for one in statuses)
    if words and words[0] == "Completed" and is_running:
        return "Running" if pod.is_ready else "NotReady"
    return words[0] if words else ""


def _of_container(one: ContainerStatus) -> str:
    waiting, ended = one.state.waiting, one.state.terminated
    if waiting is not None:
        return waiting.reason
    if ended is None:
        return ""
    return ended.reason or (f"Signal:{ended.signal}" if ended.signal else f"ExitCode:{ended.exit_code}")
