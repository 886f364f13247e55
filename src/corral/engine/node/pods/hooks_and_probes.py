"""What accompanies a run: probes while it goes on, a hook after its start, and one before its end."""

import asyncio
from collections.abc import Callable

from corral.engine.node.containers.record import Run
from corral.engine.node.pods.live_pod import LiveContainer, LivePod
from corral.engine.node.pods.pod_events import PodEvents
from corral.engine.node.pods.stopping import Hook
from corral.engine.node.pods.whereabouts import whereabouts
from corral.engine.node.probes.checks import Answer, Subject, check
from corral.engine.node.probes.inside import InsideRun
from corral.engine.node.probes.prober import Prober
from corral.engine.node.probes.tallies import ProbeTally
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.ports.clock import Clock

_HOOK_SECONDS = 600.0


class HooksAndProbes:
    """Runs them, and says when one of them changes what is known of its pod."""

    def __init__(self, clock: Clock, events: PodEvents, changed: Callable[[ObjectKey], None]) -> None:
        self._clock = clock
        self._events = events
        self._changed = changed

    def begin(self, live: LivePod, container: LiveContainer, run: Run, *, is_new: bool) -> None:
        """Begins the probes of a run; of one that is new, also its hook after the start."""
        if container.prober is None:
            container.prober = Prober(
                _subject(live.pod, container, run),
                self._clock,
                lambda kind, tally: self._probed(live, kind, tally),
            )
        hook = (container.spec.get("lifecycle") or {}).get("postStart")
        if is_new and hook:
            task = self._after_start(live, container, run, hook)
            container.hook = asyncio.get_running_loop().create_task(task, name="postStart")

    def before_stop(self, live: LivePod, container: LiveContainer, run: Run) -> Hook | None:
        """Returns what is to be done before a run is ended, None for nothing."""
        hook = (container.spec.get("lifecycle") or {}).get("preStop")
        if not hook:
            return None

        async def before(seconds: float) -> None:
            answer = await check(hook, _subject(live.pod, container, run), seconds)
            if not answer.is_good:
                self._events.warn(live, "FailedPreStopHook", answer.said)

        return before

    async def _after_start(self, live: LivePod, container: LiveContainer, run: Run, hook: Object) -> None:
        try:
            answer = await check(hook, _subject(live.pod, container, run), _HOOK_SECONDS)
        except OSError as error:
            answer = Answer(False, f"it could not be run: {error.strerror}")
        container.hook = None
        if not answer.is_good:
            container.hook_failure = f"the hook after the start failed: {answer.said}"
            self._events.warn(live, "FailedPostStartHook", container.hook_failure)
        self._changed(live.key)

    def _probed(self, live: LivePod, kind: str, tally: ProbeTally) -> None:
        if not tally.is_good:
            word = kind.removesuffix("Probe").capitalize()
            self._events.warn(live, "Unhealthy", f"{word} probe failed: {tally.said}")
        self._changed(live.key)


def _subject(pod: Object, container: LiveContainer, run: Run) -> Subject:
    told = dict(run.ports)
    return Subject(container.spec, InsideRun(run), whereabouts(pod).pod_ip, lambda port: told.get(port, port))
