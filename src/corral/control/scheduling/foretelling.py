"""When gangs of a scheduler that runs will start: learnt again and again from what it sees, beside everything else.

It is the same that `corral why` learns from the same pods, so both say the same. Learning happens in a thread, on values that nobody
changes; a question afterwards costs no more than an explanation.
"""

import asyncio
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Final

from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.scenes.expecting import (
    Expected,
    Learnt,
    Past,
    counted_for,
    expected_start,
    learn,
    past_of,
)
from corral.control.scheduling.scenes.runs import ended_runs
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.admission.amounts import CPU, GPU
from corral.ports.clock import Clock

_EVERY: Final = 60.0
"""Seconds for which it is believed what was learnt."""


class Foretelling:
    """What was learnt last."""

    def __init__(
        self,
        desk: AdmissionDesk,
        pods: Callable[[], Iterable[SchedulingPod]],
        names: frozenset[str],
        clock: Clock,
    ) -> None:
        self._desk, self._pods, self._names, self._clock = desk, pods, names, clock
        self._learnt: dict[str, Learnt] = {}
        self._since = -_EVERY

    async def renew(self) -> None:
        """Learns anew when that was long ago, and somebody waits."""
        began = self._clock.monotonic()
        if began - self._since < _EVERY or not len(self._desk.admission.line):
            return
        ended = await asyncio.to_thread(ended_runs, list(self._pods()), self._names)
        past, now = past_of(self._desk, ended), self._clock.now()
        self._learnt = await asyncio.to_thread(_learn_all, past, now)
        self._since = began

    def expected(self, gang: str) -> Expected | None:
        """Returns when a gang of the line will start; None when nothing was learnt yet."""
        learnt = self._learnt.get(counted_for(self._desk, gang))
        return None if learnt is None else expected_start(self._desk, gang, deepcopy(learnt), self._clock.now())


def _learn_all(past: Past, now: float) -> dict[str, Learnt]:
    return {counted: learn(past, counted, now) for counted in (GPU, CPU)}
