"""Why gangs wait, looked at one after the other beside everything else: an event in plain words, and numbers by code.

Conditions of pods have the words of kube-scheduler, at once, because autoscalers read them. This is for people: few gangs in a while,
each seldom, and nothing of it holds up a decision for longer than one look takes. What would help is not searched for here; that is
asked for by `corral why`, on a fleet of its own.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from corral.control.plan_executor import Fence
from corral.control.scheduling.board import Board
from corral.control.scheduling.holders import jobs_of
from corral.control.scheduling.telling import reference_to
from corral.kinds.well_known import POD
from corral.placement.potentials import policy
from corral.placement.remedies.explanation import Explanation, Terms, explain
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


class Explaining:
    """Explains gangs that wait, the one that was explained longest ago first."""

    def __init__(self, board: Board, clock: Clock, emit: Callable[[EmitEvent], None], fence: Fence) -> None:
        self._board = board
        self._clock = clock
        self._emit = emit
        self._fence = fence
        self._told: dict[str, _Told] = {}

    async def run(self) -> None:
        """Works until cancelled."""
        while True:
            await self._clock.sleep(_EVERY)
            self._fence()
            self.look()

    def codes(self) -> dict[str, int]:
        """Returns how many gangs wait by the code of what is in their way."""
        waiting = dict.fromkeys(one.gang for one in self._board.waiting())
        return dict(Counter(self._told[gang].code if gang in self._told else UNKNOWN for gang in waiting))

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
        found = explain(
            self._board.room.fleet,
            claim.gang,
            policy(),
            jobs_of(self._board.crowd, claim.namespace),
            terms=Terms(with_remedies=False),
        )
        if found is None:
            self._told[gang] = _Told(FITS, now)
            return
        said = before.said if before is not None and before.code == found.code else -_AGAIN
        if now - said >= _AGAIN and self._clock.now() - claim.arrived >= _PATIENCE:
            self._say(gang, found)
            said = now
        self._told[gang] = _Told(found.code, now, said)

    def _say(self, gang: str, found: Explanation) -> None:
        first = next(iter(self._board.crowd.members(gang)))
        self._emit(EmitEvent(POD, reference_to(first.view), "Waits", found.event, repeats=False))
