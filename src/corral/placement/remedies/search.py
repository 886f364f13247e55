"""The search for remedies: sets of parts by increasing size, each tried by the engine.

A set consists of switches (wishes taken back) and, beside them, of jobs that end or of one part with a number, at its smallest. Room
that a job leaves and room that is counted are alternatives, never mixed: each is enough where the other is. All sets of one size are
considered before any of the next, the cheapest first, and what a smaller set does is never offered in a larger one.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, combinations
from typing import NamedTuple

import msgspec

from corral.placement.remedies.amounts import Offer, amounts_for
from corral.placement.remedies.endings import POOL
from corral.placement.remedies.minimal import is_minimal
from corral.placement.remedies.question import Question, View
from corral.placement.remedies.remedy import Parts, Remedy
from corral.placement.remedies.shrinking import smaller_pods

MOST_PARTS = 3
ENOUGH = 5
"""So many remedies are shown at most."""
_CONTENT = 3
"""With so many of one size no larger sets are looked for."""
_ALIKE = 2
"""So many are shown at most that consist of parts of the same kinds."""


class Found(msgspec.Struct, frozen=True):
    """The remedies of a question, cheapest of the smallest first."""

    remedies: tuple[Remedy, ...]
    size: int
    """Sets of up to so many parts were considered."""
    left_out: int
    """So many switches and jobs were not combined with others, because there were too many."""
    plans: int
    """How often the engine was asked."""


class _Candidate(NamedTuple):
    """A set that may be a remedy."""

    price: float
    kinds: tuple[str, ...]
    settle: Callable[[], Parts | None]
    """Returns the set with the numbers that the engine wants, None when it is none."""


def search(question: Question, *, everything: bool = False, most_parts: int = MOST_PARTS) -> Found:
    """Returns the best remedies of the smallest size that has some; or every remedy of all sizes."""
    found: dict[Parts, Remedy] = {}
    size = 0
    while size < most_parts and (everything or len(found) < _CONTENT):
        size += 1
        kinds: Counter[tuple[str, ...]] = Counter(_kinds(parts) for parts in found)
        for candidate in sorted(_candidates(question, size), key=lambda one: (one.price, one.kinds)):
            if not everything and (kinds[candidate.kinds] >= _ALIKE or len(found) >= ENOUGH):
                continue
            parts = candidate.settle()
            seats = None if parts is None else question.trial.starts(parts)
            if parts is not None and seats is not None and parts not in found and is_minimal(question, parts):
                found[parts] = Remedy(parts, seats)
                kinds[candidate.kinds] += 1
    ranked = sorted(found.values(), key=lambda one: (len(one.parts), one.price, one.sentence))
    left_out = question.switches.left_out + max(0, len(question.jobs) - POOL)
    return Found(tuple(ranked), size, left_out, question.trial.plans)


def _kinds(parts: Parts) -> tuple[str, ...]:
    return tuple(sorted(type(one).__name__ for one in parts))


def _candidates(question: Question, size: int) -> Iterator[_Candidate]:
    """Yields the sets of one size that may be remedies."""
    if size == 1 and question.trial.fits(()) and question.trial.lacks(()):
        yield _fixed(question, (), ())  # there is room, and quotas refuse
    for number in range(size + 1):
        for switches in combinations(question.switches.parts, number):
            if len({one.topic for one in switches}) < number:
                continue
            view = question.view(switches)
            if not _matters(question, view) or _is_done(question, view, is_all=number == size):
                continue
            if number == size:
                yield _fixed(question, switches, ())
            else:
                yield from _beside(question, view, size - number)


def _beside(question: Question, view: View, number: int) -> Iterator[_Candidate]:
    """Yields the switches of a view with so many parts of other kinds."""
    paid = sum(one.price for one in view.switches)
    if number == 1:
        for offer in chain(amounts_for(question, view), smaller_pods(question, view)):
            kinds = _kinds((*view.switches, offer.part))
            yield _Candidate(paid + offer.part.price, kinds, partial(_with, question, view.switches, offer))
    for jobs in question.endings.sets(view.shortage, number):
        yield _fixed(question, view.switches, jobs)


def _fixed(question: Question, switches: Parts, jobs: Parts) -> _Candidate:
    parts = (*switches, *jobs)
    return _Candidate(sum(one.price for one in parts), _kinds(parts), partial(_allowed, question, switches, parts))


def _with(question: Question, switches: Parts, offer: Offer) -> Parts | None:
    part = offer.settle()
    return None if part is None else _allowed(question, switches, (*switches, part))


def _allowed(question: Question, switches: Parts, parts: Parts) -> Parts | None:
    """Returns parts with as much more quota as they need; None where jobs that end would make up for a part of it."""
    lacks = question.trial.lacks(parts)
    if not lacks:
        return parts
    if parts[len(switches) :] and lacks != question.trial.lacks(switches):
        return None
    return (*parts, *(question.trial.more(one) for one in lacks))


def _matters(question: Question, view: View) -> bool:
    """Whether each of the switches changes anything beside the others."""
    less = (view.switches[:at] + view.switches[at + 1 :] for at in range(len(view.switches)))
    return all(question.view(one).mark != view.mark for one in less)


def _is_done(question: Question, view: View, *, is_all: bool) -> bool:
    """Whether the switches are not worth more trials: alone they cannot be enough, or they are and need nothing beside them."""
    if view.shortage.least > 0:
        return is_all
    return not is_all and question.trial.starts(view.switches) is not None
