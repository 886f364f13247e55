"""Why gangs wait, looked at one after the other beside everything else: an event in plain words, and numbers by code.

Conditions of pods have the words of kube-scheduler, at once, because autoscalers read them. This is for people: few gangs in a while,
each seldom, and nothing of it holds up a decision for longer than one look takes. What would help is not searched for here; that is
asked for by `corral why`, on a fleet of its own. Quotas, the place in line and the expected start come from where `corral why` has them.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from corral.control.plan_executor import Fence
from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.board import Board
from corral.control.scheduling.foretelling import Foretelling
from corral.control.scheduling.holders import jobs_of
from corral.control.scheduling.scenes.scene import NO_QUEUE, queue_of_holder
from corral.control.scheduling.telling import reference_to
from corral.kinds.well_known import POD
from corral.placement.remedies.books import Books
from corral.placement.remedies.explanation import Terms, explain
from corral.ports.clock import Clock
from corral.reconcile.plan import EmitEvent

_EVERY: Final = 5.0
"""Seconds from one look to the next."""
_AT_ONCE: Final = 0.05
"""Seconds that the gangs of one look may take together; the first may take longer."""
_PATIENCE: Final = 10.0
"""Seconds for which a gang waits before anybody is told about it."""
_AGAIN: Final = 600.0
"""Seconds after which it is told again, when it still waits for the same."""
UNKNOWN: Final = "not-looked-at"
"""The code of gangs whose turn to be explained has not come."""
FITS: Final = "fits"
"""The code of those for which there is room, and which wait for their turn."""


class _Told(NamedTuple):
    code: str
    looked: float
    said: float = -_AGAIN
    """When people were told of this code."""
    queue: str = ""
    starts_in: float | None = None
    """Seconds until it is expected to start, as people were told last."""


class Explaining:
    """Explains gangs that wait, the one that was explained longest ago first."""

    def __init__(
        self,
        board: Board,
        desk: AdmissionDesk,
        clock: Clock,
        emit: Callable[[EmitEvent], None],
        fence: Fence,
        foretelling: Foretelling | None = None,
    ) -> None:
        self._board, self._desk = board, desk
        self._clock = clock
        self._emit = emit
        self._fence = fence
        self._foretelling = foretelling
        self._told: dict[str, _Told] = {}

    async def run(self) -> None:
        """Works until cancelled."""
        while True:
            await self._clock.sleep(_EVERY)
            self._fence()
            if self._foretelling is not None:
                await self._foretelling.renew()
            self.look()

    def codes(self) -> dict[str, int]:
        """Returns how many gangs wait by the code of what is in their way."""
        waiting = dict.fromkeys(one.gang for one in self._board.waiting())
        return dict(Counter(self._told[gang].code if gang in self._told else UNKNOWN for gang in waiting))

    def expected(self) -> dict[str, float]:
        """Returns of each queue the longest time to a start that somebody in it was told."""
        found: dict[str, float] = {}
        for told in self._told.values():
            if told.starts_in is not None:
                found[told.queue] = max(found.get(told.queue, 0.0), told.starts_in)
        return found

    def look(self) -> None:
        """Explains as many gangs as a look may take."""
        waiting = dict.fromkeys(one.gang for one in self._board.waiting())
        self._told = {gang: told for gang, told in self._told.items() if gang in waiting}
        began = self._clock.monotonic()
        for gang in sorted(waiting, key=lambda one: self._told[one].looked if one in self._told else 0.0):
            self._explain(gang)
            if self._clock.monotonic() - began >= _AT_ONCE:
                break

    def _explain(self, gang: str) -> None:
        now, before = self._clock.monotonic(), self._told.get(gang)
        claim = self._board.crowd.claim(gang)
        if claim is None:
            return
        queue = self._desk.queue_of(claim.gang.queue)
        found = explain(
            self._board.room.fleet,
            claim.gang._replace(queue=queue),
            self._board.room.policy,
            jobs_of(self._board.crowd, claim.namespace, "", partial(queue_of_holder, self._desk)),
            terms=Terms(with_remedies=False, books=Books(self._desk.queues, namespace=claim.namespace)),
        )
        refusal = self._board.refusal_of(gang)
        if refusal is not None and (found is None or refusal.code in NO_QUEUE):
            code, said = refusal.code, f"Waits: {refusal.sentence[:1].lower()}{refusal.sentence[1:].rstrip('.')}"
        elif found is not None:
            code, said = found.code, found.event
        else:
            self._told[gang] = _Told(FITS, now, queue=queue)
            return
        told = before if before is not None and before.code == code else _Told(code, now)
        told = told._replace(looked=now, queue=queue)
        if now - told.said >= _AGAIN and self._clock.now() - claim.arrived >= _PATIENCE:
            is_hopeless = code in NO_QUEUE or (found is not None and found.is_hopeless)
            told = self._say(gang, said, told._replace(said=now), is_hopeless=is_hopeless)
        self._told[gang] = told

    def _say(self, gang: str, said: str, told: _Told, *, is_hopeless: bool) -> _Told:
        parts, place = [said], self._desk.place(gang)
        if place is not None and (place[1] > 1 or told.queue):
            parts.append(f"it is number {place[0]} of {place[1]} in {f'queue {told.queue}' if told.queue else 'line'}")
        expected = None if is_hopeless or self._foretelling is None else self._foretelling.expected(gang)
        if expected is not None:
            parts.append(f"start: {expected.words}")
        first = next(iter(self._board.crowd.members(gang)))
        self._emit(EmitEvent(POD, reference_to(first.view), "Waits", "; ".join(parts), repeats=False))
        start = expected.start if expected is not None else None
        return told._replace(starts_in=start.expected if start is not None else None)
