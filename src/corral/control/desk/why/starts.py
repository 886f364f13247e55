"""Rules about pods that have a node: what keeps their containers from running, and how they run. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.why.ends import REPAIR
from corral.control.desk.why.lacks import remedies
from corral.control.desk.why.situation import Situation
from corral.control.desk.why.words import listed, some
from corral.kinds.pod_view import ContainerStatus, Terminated, Waiting
from corral.kinds.reasons import Evidence, Reason
from corral.kinds.spans import span
from corral.reconcile.moments import seconds_of

_NO_IMAGE: Final = (
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
    "RegistryUnavailable",
)
_NO_CONFIGURATION: Final = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")
_STILL: Final = ("", "ContainerCreating", "PodInitializing")
_MOUNTS: Final = ("FailedMount", "FailedAttachVolume")


class _Held(NamedTuple):
    """A container that waits, with its pod."""

    pod: JobPod
    container: ContainerStatus
    waiting: Waiting


def _waiting(situation: Situation) -> Iterator[_Held]:
    for pod in situation.pods:
        if pod.is_finished or pod.is_terminating:
            continue
        for container in pod.all_containers():
            if container.state.waiting is not None:
                yield _Held(pod, container, container.state.waiting)


def no_image(situation: Situation) -> Reason | None:
    """Images that cannot be had."""
    held = [one for one in _waiting(situation) if one.waiting.reason in _NO_IMAGE]
    if not held:
        return None
    images = list(dict.fromkeys(_image(one) for one in held))
    pods = {one.pod.uid for one in held}
    sentence = f"{some(len(pods), situation.line.total)} cannot start: the image {listed(images)} cannot be had"
    steps = (
        "see that the name is spelled right, and that the registry lets this namespace in (imagePullSecrets)",
        f"corral get {situation.name} -e",
    )
    return Reason("image", sentence, {"pods": len(pods), "images": images}, _told(held, situation), steps)


def no_configuration(situation: Situation) -> Reason | None:
    """Containers that cannot be made, because something that they need is not there."""
    held = [one for one in _waiting(situation) if one.waiting.reason in _NO_CONFIGURATION]
    names = {pod.name for pod in situation.pods if not pod.is_finished and not pod.is_ready}
    mounts = [one for one in situation.events if one.is_warning and one.reason in _MOUNTS and one.name in names]
    if held:
        last = held[-1]
        sentence = f"{some(len({one.pod.uid for one in held}), situation.line.total)} cannot start: {_first(last)}"
        return Reason("configuration", sentence, {"pods": len(held)}, _told(held, situation), (_make_it(situation),))
    if not mounts:
        return None
    last_told = mounts[-1]
    waits = len({one.name for one in mounts})
    sentence = f"{some(waits, situation.line.total)} cannot start: a volume cannot be mounted"
    seen = (Evidence(last_told.about, last_told.message),)
    return Reason("volume", sentence, {"pods": waits}, seen, (_make_it(situation),))


def crashing(situation: Situation) -> Reason | None:
    """Programs that end again and again."""
    held = [one for one in _waiting(situation) if one.waiting.reason == "CrashLoopBackOff"]
    ended = [
        (one, end) for one in held if (end := one.container.last_state.terminated or one.container.state.terminated)
    ]
    if not held:
        return None
    pods = {one.pod.uid for one in held}
    worst = max(held, key=lambda one: one.container.restart_count)
    end = next((end for one, end in ended if one is worst), None)
    how = f", the last time with {_end(end)}" if end is not None else ""
    sentence = (
        f"the program ends again and again in {some(len(pods), situation.line.total)}:"
        f" {worst.pod.name} was started {worst.container.restart_count + 1} times{how}"
    )
    words, lack = situation.last_words, situation.lack
    lines = [Evidence(f"log of {words.pod}", line) for line in words.lines] if words is not None else []
    numbers: dict[str, Any] = {
        "pods": len(pods),
        "restarts": worst.container.restart_count,
        **({} if end is None else {"exitCode": end.exit_code}),
    }
    steps: tuple[str, ...] = (f"corral logs {situation.name} --previous", REPAIR)
    if lack is not None:
        sentence, numbers[lack.what] = f"{sentence}; {lack.sentence}", lack.name
        steps = (*remedies(lack, situation.job, is_here=situation.is_here), steps[0])
    return Reason("crashing", sentence, numbers, (*_told(held, situation), *lines), steps)


def starting(situation: Situation) -> Reason | None:
    """Containers that are being started, and have not come far."""
    held = [one for one in _waiting(situation) if one.waiting.reason in _STILL]
    early = [pod for pod in situation.pods if pod.node and pod.phase == "Pending" and not pod.is_terminating]
    if not early:
        return None
    begun = [since for pod in early if (since := seconds_of(pod.metadata.creation_timestamp)) is not None]
    age = situation.now - min(begun, default=situation.now)
    runs = [one for pod in early for one in pod.status.init_container_statuses if one.state.running is not None]
    what = f"{listed(sorted({one.name for one in runs}))} runs first" if runs else "containers are being made"
    sentence = f"{some(len(early), situation.line.total)} start, since {span(age)}: {what}"
    names = {pod.name for pod in early}
    said = [Evidence(one.about, one.message) for one in situation.events if one.name in names and one.is_warning]
    seen = (*_told([one for one in held if one.waiting.message], situation), *said[-2:])
    name = situation.name
    steps = (f"corral logs -f {name} -c {runs[0].name}" if runs else f"corral logs -f {name}",)
    return Reason("starting", sentence, {"pods": len(early), "seconds": int(age)}, tuple(seen), steps)


def without_pods(situation: Situation) -> Reason | None:
    """A job that has been seen and has no pods yet."""
    if situation.pods:
        return None
    said = [Evidence(one.about, one.message) for one in situation.events if one.is_warning]
    state = situation.line.state
    sentence = "its pods are being made again" if state == "Restarting" else "its pods have not been made yet"
    return Reason("no-pods", sentence, {"pods": 0}, tuple(said[-2:]), (f"corral get {situation.name} -e",))


def running(situation: Situation) -> Reason | None:
    """A job that runs, or of which some pods run."""
    line = situation.line
    up = [pod for pod in situation.pods if pod.phase == "Running"]
    if not up:
        return None
    unready = [pod for pod in up if not pod.is_ready]
    took = line.duration(situation.now)
    since = f" since {span(took)}" if took is not None else ""
    progress = f", {line.progress} done" if line.progress else ""
    sentence = f"it runs{since}: {line.ready} of {line.total} pods are ready{progress}"
    seen = tuple(Evidence(f"pod/{pod.name}", "runs and is not ready") for pod in unready[:3])
    numbers = {"ready": line.ready, "pods": line.total, "restarts": line.restarts}
    return Reason(
        "running", sentence, numbers, seen, (f"corral logs -f {situation.name}", f"corral top job {situation.name}")
    )


def _told(held: Sequence[_Held], situation: Situation) -> tuple[Evidence, ...]:
    """Returns what containers say, and an event of each pod that says more; three pods are enough."""
    found: dict[str, str] = {}
    for one in held:
        text = ": ".join(part for part in (one.waiting.reason, one.waiting.message) if part)
        events = [told.message for told in situation.events if told.is_warning and told.name == one.pod.name]
        found.setdefault(one.pod.name, text if one.waiting.message or not events else f"{text}: {events[-1]}")
    return tuple(Evidence(f"pod/{pod}", text) for pod, text in list(found.items())[:3])


def _image(held: _Held) -> str:
    containers = (*held.pod.spec.containers, *held.pod.spec.init_containers)
    return next((one.image for one in containers if one.name == held.container.name), "") or held.container.name


def _first(held: _Held) -> str:
    return " ".join((held.waiting.message or held.waiting.reason).split())


def _make_it(situation: Situation) -> str:
    return f"make what is named; it is tried again by itself. More: corral get {situation.name} -e"


def _end(end: Terminated) -> str:
    return f"exit code {end.exit_code}" + (f" ({end.reason})" if end.reason and end.reason != "Error" else "")
