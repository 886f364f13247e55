"""When a gang that waits will start, as far as anybody can tell: from how long gangs ran here, or that nobody can. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.placement.admission.admission import Admission
from corral.placement.admission.amounts import CPU, GPU
from corral.placement.admission.order import Entry
from corral.placement.admission.queues import Queues
from corral.placement.admission.verdicts import duration_text
from corral.placement.estimates.ahead import Ahead, ahead_of, counted_of
from corral.placement.estimates.bands import ENOUGH, StartEstimate
from corral.placement.estimates.gang_runs import GangRun
from corral.placement.estimates.history import learnt_from
from corral.placement.estimates.places import wait_for_places
from corral.placement.estimates.run_times import ENOUGH as ENOUGH_ENDED
from corral.placement.estimates.starts import StartEstimates, standing_of

_BOUNDED = ("quota-limit", "quota-borrowing")


class Expected(NamedTuple):
    """When a gang will start, in seconds from now, or why nobody can tell."""

    start: StartEstimate | None
    ended: int = 0
    """Gangs that have ended and from which run times are known."""
    unknown: str = ""
    """Why nobody can tell, as a phrase; "" when there is an estimate."""

    @property
    def words(self) -> str:
        """Returns it as people say it."""
        if self.start is None:
            return f"nobody can tell: {self.unknown}"
        one = self.start
        half, most = _span(one.likely_from, one.likely_to), _span(one.earliest, one.latest)
        basis = (
            f"as exact as {one.checked} earlier starts could be told"
            if one.checked >= ENOUGH
            else f"a wide guess: {one.checked} of the {ENOUGH} earlier starts are known that it takes to tell"
        )
        return f"in about {duration_text(one.expected)}; 50 %: {half}, 80 %: {most} ({basis})"

    def document(self) -> dict[str, Any]:
        """Returns it as data."""
        if self.start is None:
            return {"unknown": self.unknown, "ended": self.ended}
        one = self.start
        return {
            "seconds": round(one.expected),
            "half": [round(one.likely_from), round(one.likely_to)],
            "eightOfTen": [round(one.earliest), round(one.latest)],
            "ended": self.ended,
            "checked": one.checked,
            "isChecked": one.checked >= ENOUGH,
        }


def _span(low: float, high: float) -> str:
    first, last = duration_text(low), duration_text(high)
    return f"up to {last}" if low < 1 else first if first == last else f"{first} to {last}"


class Past(NamedTuple):
    """What was seen of all gangs, as far as it says anything about those that wait."""

    runs: tuple[GangRun, ...]
    """Those that ended, run, or wait."""
    capacity: Mapping[str, int]
    weights: Mapping[str, int]


class Learnt(NamedTuple):
    """What was learnt from it."""

    starts: StartEstimates
    ended: int


def past_of(desk: AdmissionDesk, runs: Sequence[GangRun]) -> Past:
    """Returns what is known of the past; `runs` are those that ended, each in the queue that it named."""
    ground = desk.admission.ground
    told = (msgspec.structs.replace(one, queue=desk.queue_of(one.queue)) for one in runs)
    capacity = {one: ground.capacity.get(one, 0) - ground.held_by_others(one) for one in (GPU, CPU)}
    weights = {name: ground.queues.terms(name).weight for name in ground.queues}
    return Past((*told, *_running(desk.admission), *_waiting(desk.admission)), capacity, weights)


def learn(past: Past, counted: str, now: float) -> Learnt:
    """Returns what is learnt from gangs that are counted in the same way; it takes a while when many had to wait."""
    alike = [one for one in past.runs if one.counted == counted]
    starts = learnt_from(alike, past.capacity.get(counted, 0), past.weights, now)
    return Learnt(starts, sum(one.ended is not None for one in alike))


def counted_for(desk: AdmissionDesk, gang: str) -> str:
    """Returns what is counted for a gang of the line."""
    entry = desk.admission.line.get(gang)
    return counted_of(entry.needs) if entry is not None else GPU


def expected_start(desk: AdmissionDesk, gang: str, learnt: Learnt, now: float) -> Expected | None:
    """Returns when a gang of the line will start, None when it does not stand in it. What was learnt is used up by it."""
    admission, starts = desk.admission, learnt.starts
    entry = admission.line.get(gang)
    found = ahead_of(admission, gang, now, trusted=True)
    if entry is None or found is None:
        return None
    ahead = _bounded(admission, entry, found)
    unknown = _unknown(ahead, learnt, entry.kind.queue)
    if unknown:
        return Expected(None, learnt.ended, unknown)
    is_checked = starts.checked(entry.kind.queue) >= ENOUGH
    least = (
        0.0 if is_checked else wait_for_places(admission.ground, entry, starts.run_times, counted_of(entry.needs), now)
    )
    if least is None:
        return Expected(None, learnt.ended, "it would not fit if all that runs had ended")
    return Expected(starts.say(gang, ahead, standing_of(admission, entry, now), now, least), learnt.ended)


def _unknown(ahead: Ahead, learnt: Learnt, queue: str) -> str:
    """Returns what is missing for an estimate, "" when nothing is."""
    known, ended = learnt.starts.run_times, learnt.ended
    if ahead.size > ahead.capacity:
        return "it asks for more than it may ever have"
    if not ahead.running:
        return "nothing runs here of which it is known when it ends"
    if not all(known.knows(kind) for kind in ahead.unsaid):
        seen = f"of {ENOUGH_ENDED} jobs that it takes to learn how long they run {ended or 'none'}"
        return f"{seen} {'has' if ended < 2 else 'have'} ended here, and not all before it say it themselves"
    is_beyond = all(declared is None and elapsed >= known.longest(kind) for kind, elapsed, declared in ahead.running)
    if is_beyond and learnt.starts.checked(queue) < ENOUGH:
        return "all that runs has run longer already than any job that has ended here"
    return ""


def _bounded(admission: Admission, entry: Entry, ahead: Ahead) -> Ahead:
    """Returns what stands before a gang when its queue has its fill: only those of the queue matter, and what it may have."""
    refusal = admission.refusal(entry.uid)
    if refusal is None or refusal.code not in _BOUNDED:
        return ahead
    queues, counted = admission.ground.queues, counted_of(entry.needs)
    for name in queues.path(entry.kind.queue):
        bound = _bound(queues, name, counted)
        if bound is not None and bound - queues.used(name).get(counted, 0) < ahead.size:
            within = tuple(one for one in ahead.running if name in queues.path(one[0].queue))
            return ahead._replace(capacity=bound, running=within, waiting=ahead.waiting[:1], weights=ahead.weights[:1])
    return ahead


def _bound(queues: Queues, name: str, counted: str) -> int | None:
    """Returns how much the gangs of a queue may hold together."""
    terms = queues.terms(name)
    limit, borrowing = dict(terms.limit).get(counted), dict(terms.borrowing or ()).get(counted)
    borrowed = None if borrowing is None else queues.guarantee(name).get(counted, 0) + borrowing
    return min((one for one in (limit, borrowed) if one is not None), default=None)


def _running(admission: Admission) -> Iterator[GangRun]:
    for uid, one in admission.ground.running.items():
        held = admission.ground.held(uid)
        counted, arrived = counted_of(held), min(one.claim.arrived, one.started)
        size, queue = held.get(counted, 0), one.claim.gang.queue
        yield GangRun(uid=uid, queue=queue, counted=counted, size=size, arrived=arrived, started=one.started)


def _waiting(admission: Admission) -> Iterator[GangRun]:
    for one in admission.line:
        if not one.follows:
            counted = counted_of(one.needs)
            size, arrived = one.needs.get(counted, 0), one.claim.arrived
            yield GangRun(uid=one.uid, queue=one.kind.queue, counted=counted, size=size, arrived=arrived)
