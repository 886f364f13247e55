"""A pod as the node sees it at one moment: what was asked for, what each container does, and the time.

Frozen values, made by the loop from the API, from the records on disk and from its probes; decisions and statuses are
functions of them.
"""

from typing import NamedTuple

from corral.kinds.objects import Object, is_deleting

NEVER, ON_FAILURE, ALWAYS = "Never", "OnFailure", "Always"


class RunSight(NamedTuple):
    """One run of a container; times are seconds since the epoch."""

    number: int
    """The restart count: 0 for the first run."""
    started: float
    ended: float | None = None
    exit_code: int = 0
    reason: str = ""
    message: str = ""
    streak: int = 0
    """How many restarts there were in a row when it began; a run that lasts begins a new row."""

    @property
    def is_running(self) -> bool:
        """Whether its processes are there."""
        return self.ended is None


class Held(NamedTuple):
    """A start that was refused: why, since when, how often it was tried, and when it is tried again."""

    reason: str
    message: str
    since: float
    tries: int = 1
    again: float = 0.0


class ContainerSight(NamedTuple):
    """One container: its spec, its latest run and the one before, and what probes and hooks have found."""

    spec: Object
    latest: RunSight | None = None
    before: RunSight | None = None
    held: Held | None = None
    has_started: bool = True
    """Whether the startup probe and the hook after the start, if any, have passed."""
    is_ready: bool = True
    """Whether the readiness probe, if any, has passed."""
    ailment: str = ""
    """Why the run must be ended and begun anew: a liveness or startup probe, or a hook, that failed."""
    ailment_grace: float | None = None
    """How long it may take to end for that, when the probe itself says so; else the pod's grace counts."""

    @property
    def name(self) -> str:
        """Returns the name of the container."""
        return str(self.spec["name"])

    @property
    def is_running(self) -> bool:
        """Whether its processes are there."""
        return self.latest is not None and self.latest.is_running

    @property
    def is_sidecar(self) -> bool:
        """Whether it is an init container that runs beside the others."""
        return self.spec.get("restartPolicy") == ALWAYS

    @property
    def has_ended(self) -> bool:
        """Whether it ran and does not run now."""
        return self.latest is not None and not self.latest.is_running

    @property
    def has_succeeded(self) -> bool:
        """Whether its latest run ended well."""
        return self.latest is not None and not self.latest.is_running and self.latest.exit_code == 0


class PodSight(NamedTuple):
    """A pod at one moment."""

    pod: Object
    taken: float
    """When the node took the pod, in seconds since the epoch."""
    inits: tuple[ContainerSight, ...]
    mains: tuple[ContainerSight, ...]
    now: float
    verdict: tuple[str, str] = ("", "")
    """Reason and message of an end that the node has decided on, such as Evicted."""

    @property
    def policy(self) -> str:
        """Returns the restart policy."""
        return str(self.pod["spec"].get("restartPolicy") or ALWAYS)

    @property
    def is_deleting(self) -> bool:
        """Whether deletion was asked for."""
        return is_deleting(self.pod)

    @property
    def has_finished(self) -> bool:
        """Whether the API was told of the pod's end, which never changes again."""
        return (self.pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")

    @property
    def containers(self) -> tuple[ContainerSight, ...]:
        """Returns all containers, those of the start first."""
        return self.inits + self.mains

    @property
    def running(self) -> tuple[ContainerSight, ...]:
        """Returns the containers whose processes are there."""
        return tuple(one for one in self.containers if one.is_running)
