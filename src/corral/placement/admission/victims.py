"""Who must give way for a gang: the cheapest set from which nobody can be left out.

A gang may take room from others in two ways. It *preempts* gangs of its own queue that have lower priority, never equal. Or its queue
*reclaims*: when the queue stays within what it is entitled to, gangs of other queues give way that are not *covered*, which means
that they lie beyond what their own queue is entitled to, counted in order of priority and then of start. A gang that would itself
not be covered preempts nobody who is.

Why this comes to an end: let C(p) be the amount of covered gangs of priority p and above, and U(p) that of all running gangs of
priority p and above. A reclaim leaves everybody covered who was, and covers one more. A preemption of covered gangs covers one of a
higher priority; one of others changes no C and raises U at the higher priority. So each eviction raises the sequence of C, or leaves
it and raises that of U, and there are only so many values: without new arrivals, ends or changed terms evictions stop. With them, a
gang that was evicted rests: it runs undisturbed for a time that doubles with each eviction.
"""

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from corral.placement.admission.amounts import GPU, Amounts, add
from corral.placement.admission.claims import Running
from corral.placement.admission.cycle import Terms
from corral.placement.admission.ground import Given, Ground
from corral.placement.admission.order import Entry
from corral.placement.admission.quota import lack_of
from corral.placement.asks import Plan, Seat

_FEW = 8
"""Up to so many candidates every set is tried, cheapest first; more are searched by order."""
_MOST_BACKOFF = 10


class Victim(NamedTuple):
    """A gang that may be asked to give way, and what that costs."""

    uid: str
    queue: str
    seats: tuple[Seat, ...]
    held: Amounts
    lost: float
    """GPU-seconds of work that are lost."""
    reason: str

    @property
    def given(self) -> Given:
        """Returns what is taken from it."""
        return Given(self.queue, self.seats, self.held)


class Sacrifice(NamedTuple):
    """Who gives way, and where the gang goes then."""

    victims: tuple[Victim, ...]
    plan: Plan


def candidates(
    ground: Ground, terms: Terms, entry: Entry, entitled: Callable[[], dict[str, Amounts]], now: float
) -> list[Victim]:
    """Returns everybody who may be asked to give way for a gang."""
    own, priority = entry.kind.queue, entry.claim.gang.priority
    lower = [one for one in ground.running_in(own) if one.claim.gang.priority < priority] if terms.preempts else []
    reclaiming = terms.reclaims != "nothing" and any(name != own for name in ground.queues_running())
    if not lower and not reclaiming:
        return []
    shares = entitled()
    is_covered = _within(ground.queues.own(own), entry.needs, shares.get(own, {}))
    found: list[tuple[Running, str]] = []
    if lower:
        safe: set[str] = set() if _is_covered_after(ground, shares, entry) else covered(ground, shares, own)
        found += [(one, "preempted") for one in lower if one.uid not in safe]
    if reclaiming and is_covered:
        for queue in ground.queues_running():
            if queue != own:
                safe = covered(ground, shares, queue)
                found += [(one, "reclaimed") for one in ground.running_in(queue) if one.uid not in safe]
    return [
        Victim(one.uid, one.claim.gang.queue, one.seats, ground.held(one.uid), lost_by(one, terms, now), reason)
        for one, reason in found
        if may_be_evicted(ground, one, terms, now)
    ]


def covered(ground: Ground, entitled: dict[str, Amounts], queue: str) -> set[str]:
    """Returns the gangs of a queue that lie within what it is entitled to, by priority and then by start."""
    share = entitled.get(queue, {})
    total: Amounts = {}
    inside: set[str] = set()
    for one in sorted(ground.running_in(queue), key=_seniority):
        held = ground.held(one.uid)
        if _within(total, held, share):
            inside.add(one.uid)
            add(total, held)
    return inside


def may_be_evicted(ground: Ground, running: Running, terms: Terms, now: float) -> bool:
    """Whether a gang may be stopped now: it allows it, is not leaving already, and has had its rest."""
    claim = running.claim
    if not claim.is_preemptible or running.uid in ground.evicted or running.started >= now:
        return False
    if running.started - claim.arrived >= terms.patience and now - running.started < terms.patience:
        return False  # It has waited long enough for this; others may wait as long for it.
    rest = terms.rest * 2 ** (min(claim.evictions, _MOST_BACKOFF) - 1) if claim.evictions else 0.0
    return now - running.started >= rest


def lost_by(running: Running, terms: Terms, now: float) -> float:
    """Returns the GPU-seconds that are lost when a gang stops now."""
    seconds = max(now - running.started, 0.0)
    if running.claim.checkpoints:
        seconds = min(seconds, terms.lost_on_stop)
    return running.held.get(GPU, 0) / 1000 * seconds


def sacrifice(ground: Ground, entry: Entry, victims: Sequence[Victim]) -> Sacrifice | None:
    """Returns the cheapest set found whose leaving lets a gang start and from which nobody can be left out; None without any.

    The set is empty when those who were told to leave already are enough.
    """
    trial = Trial(ground, entry)
    plan = trial.plan(()) if ground.leaving else None
    if plan is not None:
        return Sacrifice((), plan)
    if not victims or trial.plan(victims) is None:
        return None
    if len(victims) <= _FEW:
        for few in _cheapest_first(victims):
            plan = trial.plan(few)
            if plan is not None:
                return _irreducible(trial, few, plan)
    needs = entry.needs
    by_gain = sorted(victims, key=lambda one: (one.lost / _gain(one, needs), one.lost, one.uid))
    by_cost = sorted(victims, key=_cost)
    found = [_irreducible(trial, *_prefix(trial, order)) for order in (by_gain, by_cost)]
    return min(found, key=lambda one: (sum(victim.lost for victim in one.victims), len(one.victims)))


class Trial:
    """Whether a gang could start without some others, when everybody who was told to leave has left."""

    def __init__(self, ground: Ground, entry: Entry) -> None:
        self._ground, self._entry = ground, entry

    def plan(self, without: Sequence[Victim]) -> Plan | None:
        """Returns where the gang would be."""
        ground, gang = self._ground, self._entry.claim.gang
        with ground.settled(), ground.without(one.given for one in without):
            if ground.lacking(self._entry.needs):
                return None
            if lack_of(ground.queues, ground.left, gang.queue, self._entry.needs) is not None:
                return None
            answer = ground.room.plan(gang)
        return answer if isinstance(answer, Plan) else None


def _prefix(trial: Trial, order: list[Victim]) -> tuple[list[Victim], Plan]:
    """Returns the shortest beginning of an order that is enough, and of it those in whose place the gang would be."""
    low, high = 0, len(order)
    best = trial.plan(order)
    while high - low > 1:
        middle = (low + high) // 2
        plan = trial.plan(order[:middle])
        if plan is None:
            low = middle
        else:
            high, best = middle, plan
    assert best is not None, "all of them together were enough before"
    chosen = order[:high]
    nodes = {seat.node for seat in best.seats}
    there = [one for one in chosen if any(seat.node in nodes for seat in one.seats)]
    plan = trial.plan(there)
    return (there, plan) if plan is not None else (chosen, best)


def _irreducible(trial: Trial, victims: Sequence[Victim], plan: Plan) -> Sacrifice:
    """Leaves out everybody who can be, the dearest first, until nobody can be."""
    chosen, is_smaller = sorted(victims, key=_cost, reverse=True), True
    while is_smaller:
        is_smaller = False
        for one in tuple(chosen):
            rest = [other for other in chosen if other is not one]
            answer = trial.plan(rest) if rest else None
            if answer is not None:
                chosen, plan, is_smaller = rest, answer, True
    return Sacrifice(tuple(sorted(chosen, key=lambda one: one.uid)), plan)


def _cheapest_first(victims: Sequence[Victim]) -> Iterator[list[Victim]]:
    """Yields all sets, cheapest first, of equal cost the smallest first."""
    order = sorted(victims, key=_cost)
    heap: list[tuple[float, int, tuple[int, ...]]] = [(order[0].lost, 1, (0,))]
    while heap:
        lost, size, chosen = heappop(heap)
        yield [order[index] for index in chosen]
        last = chosen[-1]
        if last + 1 < len(order):
            more = order[last + 1].lost
            heappush(heap, (lost + more, size + 1, (*chosen, last + 1)))
            heappush(heap, (lost + more - order[last].lost, size, (*chosen[:-1], last + 1)))


def _is_covered_after(ground: Ground, entitled: dict[str, Amounts], entry: Entry) -> bool:
    """Whether a gang would be covered next to those of its queue that have its priority or a higher one."""
    share = entitled.get(entry.kind.queue, {})
    total: Amounts = {}
    for one in sorted(ground.running_in(entry.kind.queue), key=_seniority):
        if one.claim.gang.priority >= entry.claim.gang.priority and _within(total, ground.held(one.uid), share):
            add(total, ground.held(one.uid))
    return _within(total, entry.needs, share)


def _within(total: Amounts, more: Amounts, share: Amounts) -> bool:
    """Whether an amount lies within a share together with others, as far as the share names resources."""
    named = [name for name in more if name in share]
    return bool(named) and all(total.get(name, 0) + more[name] <= share[name] for name in named)


def _seniority(running: Running) -> tuple[int, float, str]:
    return (-running.claim.gang.priority, running.started, running.uid)


def _cost(victim: Victim) -> tuple[float, str]:
    return (victim.lost, victim.uid)


def _gain(victim: Victim, needs: Amounts) -> float:
    """Returns how much of what is needed a victim holds, as a part of the need."""
    parts = [min(victim.held.get(name, 0) / amount, 1.0) for name, amount in needs.items() if amount]
    return max(max(parts, default=0.0), 1e-9)
