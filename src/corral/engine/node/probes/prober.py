"""Asks the probes of the running containers, each in a task of its own, and remembers what they mean.

Liveness and readiness wait until the startup probe has passed. The first good answer counts as soon as it is there; a
change of meaning is told at once. Containers without probes cost nothing.
"""

import asyncio
from collections.abc import Callable

from corral.engine.node.probes.checks import Answer, Subject, check
from corral.engine.node.probes.tallies import KINDS, ProbeTally, answered, first_verdict, rules_of
from corral.kinds.objects import Object
from corral.ports.clock import Clock

Changed = Callable[[str, ProbeTally], None]
"""Is told the kind of the probe and how it stands."""


class Prober:
    """The probes of one run of one container."""

    def __init__(self, subject: Subject, clock: Clock, changed: Changed) -> None:
        self._subject = subject
        self._clock = clock
        self._changed = changed
        self._probes: dict[str, Object] = {
            kind: subject.container[kind] for kind in KINDS if subject.container.get(kind)
        }
        self._tallies = {kind: ProbeTally(first_verdict(kind)) for kind in self._probes}
        self._has_started = asyncio.Event()
        if "startupProbe" not in self._probes:
            self._has_started.set()
        self._tasks = [
            asyncio.get_running_loop().create_task(self._ask(kind, probe), name=kind)
            for kind, probe in self._probes.items()
        ]

    @property
    def has_started(self) -> bool:
        """Whether the startup probe, if any, has passed."""
        return self._has_started.is_set()

    @property
    def is_ready(self) -> bool:
        """Whether the readiness probe, if any, has passed."""
        return "readinessProbe" not in self._tallies or self._tallies["readinessProbe"].verdict is True

    @property
    def ailment(self) -> str:
        """Returns why the container must be ended, "" when it need not be."""
        kind = self._failed()
        if not kind:
            return ""
        word, said = kind.removesuffix("Probe"), self._tallies[kind].said
        return f"Container {self._subject.container['name']} failed {word} probe: {said}"

    @property
    def ailment_grace(self) -> float | None:
        """Returns how long the container may take to end for its ailment, None when the probe leaves that to the pod."""
        kind = self._failed()
        grace = self._probes[kind].get("terminationGracePeriodSeconds") if kind else None
        return None if grace is None else float(grace)

    def _failed(self) -> str:
        """Returns the kind of the probe for which the container must be ended, "" for none."""
        deadly = (kind for kind in ("startupProbe", "livenessProbe") if kind in self._tallies)
        return next((kind for kind in deadly if self._tallies[kind].verdict is False), "")

    def stop(self) -> None:
        """Asks no more."""
        for task in self._tasks:
            task.cancel()

    async def _ask(self, kind: str, probe: Object) -> None:
        rules = rules_of(probe)
        if kind != "startupProbe":
            await self._has_started.wait()
        await self._clock.sleep(rules.initial_delay)
        while True:
            try:
                answer = await check(probe, self._subject, rules.timeout)
            except OSError as error:
                answer = Answer(False, str(error.strerror), is_known=False)
            if answer.is_known:
                self._take(kind, answered(self._tallies[kind], answer.is_good, answer.said, rules))
            else:
                # Told, and then forgotten: what cannot be asked says nothing about the container.
                self._changed(kind, ProbeTally(is_good=False, said=f"it could not be asked: {answer.said}"))
            if kind == "startupProbe" and self._tallies[kind].verdict is not None:
                return
            await self._clock.sleep(rules.period)

    def _take(self, kind: str, tally: ProbeTally) -> None:
        before, self._tallies[kind] = self._tallies[kind], tally
        if kind == "startupProbe" and tally.verdict:
            self._has_started.set()
        if before.verdict != tally.verdict or not tally.is_good:
            self._changed(kind, tally)
