"""Whether a gang would start with some changes: they are carried out in a draft, the engine is asked, and all is undone."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from corral.placement.admission.quota import Lack
from corral.placement.asks import Gang, Plan, PodAsk, Seat
from corral.placement.fleet import Fleet
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.gangs import plan
from corral.placement.gangs.room import room
from corral.placement.potentials import Policy
from corral.placement.remedies.books import Books
from corral.placement.remedies.remedy import Part, Parts
from corral.placement.remedies.shortage import bare, missing_of, shortage_of


class Answer(NamedTuple):
    """What came out of one trial."""

    seats: tuple[Seat, ...] | None
    """Where the gang would go; None when it finds no room."""
    lacks: tuple[Lack, ...] = ()
    """Quotas that refuse it, wherever it would go."""


class Trial:
    """Answers for one gang; what was tried once is not tried again."""

    def __init__(self, fleet: Fleet, gang: Gang, policy: Policy, books: Books | None = None) -> None:
        self.fleet = fleet
        self.gang = gang
        self.plans = 0
        """How often the engine was asked."""
        self._policy = policy
        self._books = books
        self._answers: dict[Parts, Answer] = {}

    def asked(self, parts: Parts) -> Gang:
        """Returns the gang as it would ask with some changes."""
        gang = self.gang
        for part in parts:
            gang = part.asked(self.fleet, gang)
        return gang

    def starts(self, parts: Parts) -> tuple[Seat, ...] | None:
        """Returns the seats of the gang with these changes, None when it would not start."""
        answer = self._answer(parts)
        return None if answer.lacks else answer.seats

    def fits(self, parts: Parts) -> bool:
        """Whether the gang finds room with these changes, whatever quotas say."""
        return self._answer(parts).seats is not None

    def lacks(self, parts: Parts) -> tuple[Lack, ...]:
        """Returns the quotas that refuse the gang with these changes."""
        return self._answer(parts).lacks

    def more(self, lack: Lack) -> Part:
        """Returns as much more of a quota as is lacking."""
        assert self._books is not None
        return self._books.more(lack)

    def _answer(self, parts: Parts) -> Answer:
        if parts not in self._answers:
            self._answers[parts] = self._tried(parts)
        return self._answers[parts]

    def _tried(self, parts: Parts) -> Answer:
        gang = self.asked(parts)
        with self.fleet.draft():
            for part in parts:
                part.carry_out(self.fleet)
            lacks = self._books.lacks(self.fleet, gang, parts) if self._books is not None else ()
            if missing_of(gang) > 0 and self._is_short(gang):
                return Answer(None, lacks)
            self.plans += 1
            answer = plan(self.fleet, gang, self._policy, explain=False)
        return Answer(answer.seats if isinstance(answer, Plan) else None, lacks)

    def _is_short(self, gang: Gang) -> bool:
        def counted(ask: PodAsk) -> Ints:
            return room(self.fleet, bare(ask))

        def allowed(rules: Iterable[int]) -> Bools:
            return np.asarray(np.logical_or.reduce([self.fleet.allowed(number) for number in set(rules)]))

        return shortage_of(self.fleet, gang, counted, allowed).least > 0
