"""What the node holds in memory of a pod: its containers, their runs and probes, and what the API was told last.

Everything that matters outlives this process in the records on disk; what is here can be made again from them.
"""

import asyncio

from corral.engine.node.containers.record import Run
from corral.engine.node.pods.sight import ContainerSight, Held, PodSight, RunSight
from corral.engine.node.pods.stopping import Stopping
from corral.engine.node.pods.waits import next_try
from corral.engine.node.probes.prober import Prober
from corral.kinds.objects import Object, key_of, uid_of


class LiveContainer:
    """One container of a pod."""

    def __init__(self, spec: Object) -> None:
        self.spec = spec
        self.latest: RunSight | None = None
        self.before: RunSight | None = None
        self.run: Run | None = None
        """The processes, while there are any."""
        self.held: Held | None = None
        self._overcome: Held | None = None
        """What held up the latest start before it was made."""
        self.prober: Prober | None = None
        self.hook: asyncio.Task[None] | None = None
        """The hook after the start, while it runs."""
        self.hook_failure = ""
        self.stopping: Stopping | None = None

    def started(self, run: Run, sight: RunSight) -> None:
        """Notes a new run, or one that was found."""
        if self.latest is not None and self.latest.number != sight.number:
            self.before = self.latest
        self._overcome = self.held
        self.latest, self.run, self.held, self.hook_failure = sight, run, None, ""

    def taken_back(self) -> None:
        """Notes that the latest start was none: what held it up before counts on."""
        self.latest, self.before, self.run, self.held = self.before, None, None, self._overcome
        self.rest()

    def refused(self, reason: str, message: str, now: float) -> bool:
        """Notes that it cannot be started now; tells whether that is news."""
        held, self.held = self.held, None
        is_same = held is not None and (held.reason, held.message) == (reason, message)
        tries = held.tries + 1 if is_same and held else 1
        since = held.since if is_same and held else now
        self.held = Held(reason, message, since, tries, now + next_try(tries))
        return not is_same

    def ended(self, sight: RunSight) -> None:
        """Notes the end of the run."""
        self.latest, self.run = sight, None
        self.rest()

    def rest(self) -> None:
        """Ends everything that only makes sense beside a run."""
        if self.prober is not None:
            self.prober.stop()
        if self.hook is not None:
            self.hook.cancel()
        if self.stopping is not None:
            self.stopping.cancel()
        self.prober = self.hook = self.stopping = None

    def sight(self) -> ContainerSight:
        """Returns what is known of the container now."""
        prober = self.prober
        return ContainerSight(
            self.spec,
            self.latest,
            self.before,
            self.held,
            has_started=self.hook is None and (prober is None or prober.has_started),
            is_ready=prober is None or prober.is_ready,
            ailment=self.hook_failure or (prober.ailment if prober is not None else ""),
            ailment_grace=prober.ailment_grace if prober is not None and not self.hook_failure else None,
        )


class LivePod:
    """One pod, known by its uid."""

    def __init__(self, pod: Object, taken: float) -> None:
        self.pod = pod
        self.uid = uid_of(pod)
        self.key = key_of(pod)
        self.taken = taken
        self.verdict = ("", "")
        self.renewed_at = 0.0
        """When its files were last brought up to date, in seconds since the epoch."""
        self.told: Object | None = None
        """The status that was written last."""
        self.inits = {str(one["name"]): LiveContainer(one) for one in pod["spec"].get("initContainers") or []}
        self.mains = {str(one["name"]): LiveContainer(one) for one in pod["spec"]["containers"]}

    @property
    def containers(self) -> dict[str, LiveContainer]:
        """Returns all containers by name."""
        return {**self.inits, **self.mains}

    @property
    def is_over(self) -> bool:
        """Whether the API was told of the pod's end, and nothing of it runs."""
        is_running = any(one.run is not None for one in self.containers.values())
        return not is_running and (self.pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")

    def sight(self, now: float) -> PodSight:
        """Returns what is known of the pod now."""
        inits = tuple(one.sight() for one in self.inits.values())
        mains = tuple(one.sight() for one in self.mains.values())
        return PodSight(self.pod, self.taken, inits, mains, now, self.verdict)

    def rest(self) -> None:
        """Ends all probes, hooks and stops; what runs goes on."""
        for container in self.containers.values():
            container.rest()
