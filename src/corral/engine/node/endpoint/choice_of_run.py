"""Which run of a container a question for logs means, by the container's status; the words are a kubelet's. Pure."""

from corral.kinds.objects import Object


class NoSuchLogError(Exception):
    """There is no such log; the sentence says why."""


def container_spec(pod: Object, container: str) -> Object | None:
    """Returns the container of a pod by name, None when it has none of that name."""
    spec = pod.get("spec") or {}
    every = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return next((one for one in every if one["name"] == container), None)


def chosen_run(pod: Object, container: str, previous: bool) -> int:
    """Returns the number of the run whose log is meant."""
    status = _status_of(pod, container)
    state, last = status.get("state") or {}, (status.get("lastState") or {}).get("terminated") or {}
    who = f'container "{container}" in pod "{pod["metadata"]["name"]}"'
    if previous:
        number = _number(last)
        if number is None:
            raise NoSuchLogError(f"previous terminated {who} not found")
        return number
    for told in (status if "running" in state else {}, state.get("terminated") or {}, last):
        number = _number(told)
        if number is not None:
            return number
    waiting = state.get("waiting") or {}
    raise NoSuchLogError(f"{who} is waiting to start: {waiting.get('reason') or 'ContainerCreating'}")


def _status_of(pod: Object, container: str) -> Object:
    status = pod.get("status") or {}
    every = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return next((one for one in every if one.get("name") == container), {})


def _number(told: Object) -> int | None:
    """Returns the number of a run, the last part of its container id: `corral://POD_UID/CONTAINER/RUN`."""
    number = str(told.get("containerID") or "").rpartition("/")[2]
    return int(number) if number.isdecimal() else None
