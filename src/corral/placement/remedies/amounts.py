"""Parts with a number, each at the smallest that starts the gang beside some switches: room given back, nodes, fewer or smaller pods.

Where a gang has one class of pods, counting says exactly how much is enough, so an offer is made without the engine; `settle` asks it, and
goes on to larger numbers where counting knew too little.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from corral.placement.fleet.columns import Ints
from corral.placement.fleet.levels import domain_name
from corral.placement.gangs.words import make_of
from corral.placement.remedies.clearing import Clearing
from corral.placement.remedies.makes import Make
from corral.placement.remedies.question import Question, View, by_domain, smallest
from corral.placement.remedies.reductions import FewerPods
from corral.placement.remedies.refuting import open_to_doubt
from corral.placement.remedies.remedy import Part
from corral.placement.remedies.shortage import Gap, missing_of, waiting_of
from corral.placement.remedies.supplies import Freed, FreeRoom, MoreNodes, OpenNodes, nodes_like

MOST_MORE = 256
"""Nobody adds more nodes than that for one gang."""
_TRIED_NODES = 8


class Offer(NamedTuple):
    """A part that may be enough, and how to find out how much of it is."""

    part: Part
    settle: Callable[[], Part | None]


def amounts_for(question: Question, view: View) -> Iterator[Offer]:
    """Yields every part with a number that may start the gang beside the switches of a view."""
    # Where there is room and a quota refuses, more room is of no use.
    lacks_room = view.shortage.least > 0 or not question.trial.fits(view.switches)
    for make in question.makes.makes if lacks_room else ():
        # Of several classes any may be the one that needs just these nodes.
        freed = [_free_room(question, view, make, view.shortage.of_class(ask)) for ask in waiting_of(view.gang)]
        if len(freed) > 1 and view.shortage.least <= 0:
            freed.append(_emptied(question, view, make))
        yield from _cheapest(freed)
        yield from _cheapest([_more_nodes(question, view, make)])
    yield from _cheapest([_open_nodes(question, view), _fewer_pods(question, view)])


def _offer(question: Question, view: View, low: int, high: int, part_of: Callable[[int], Part | None]) -> Offer | None:
    first = part_of(low) if low <= high else None
    return None if first is None else Offer(first, partial(_settled, question, view, low, high, part_of))


def _settled(question: Question, view: View, low: int, high: int, part_of: Callable[[int], Part | None]) -> Part | None:
    number = smallest(low, high, lambda many: _fits(question, view, part_of(many)))
    return None if number is None else part_of(number)


def _fits(question: Question, view: View, part: Part | None) -> bool:
    """Whether there is room then; a quota that refuses nevertheless is seen to later. What asks for less must suit quotas too."""
    if part is None:
        return False
    parts = (*view.switches, part)
    return question.trial.starts(parts) is not None if isinstance(part, FewerPods) else question.trial.fits(parts)


def _free_room(question: Question, view: View, make: Make, gap: Gap) -> Offer | None:
    """Room for one class that others give back on nodes of a make."""
    shortage, fleet, (ask,) = view.shortage, question.fleet, gap.classes
    if not gap.allowed[make.rows[0]]:  # nodes of a make are allowed together
        return None
    rows = make.rows[gap.allowed[make.rows] & fleet.columns.is_open[make.rows] & (shortage.domain[make.rows] >= 0)]
    now, empty = question.room(ask)[rows], question.room(ask, "closed", is_empty=True)[rows]
    rows, now, empty = rows[empty > now], now[empty > now], empty[empty > now]
    domains = [pair for pair in by_domain(shortage, gap.lack, rows) if _gain(now, empty, pair[1]) >= pair[0]]
    if not domains:
        return None
    clearing = Clearing(fleet, ask, rows, now, empty)

    def cleared(beyond: int) -> FreeRoom | None:
        found = (clearing.cheapest(lack + beyond, places) for lack, places in domains)
        return min((one for one in found if one is not None), key=lambda one: (one.price, one.freed), default=None)

    most = max(0, shortage.missing - min(lack for lack, _ in domains))
    offer = _offer(question, view, 0, most, cleared)
    return None if offer is None else offer._replace(settle=partial(_trimmed, question, view, offer))


def _emptied(question: Question, view: View, make: Make) -> Offer | None:
    """GPUs to be emptied where each class finds room and only all together do not: no count says how many, so they are tried."""
    columns, rows = question.fleet.columns, make.rows
    if not any(gap.allowed[rows[0]] for gap in view.shortage.gaps):
        return None
    held = columns.gpu_size[rows] - columns.gpu[rows]
    used = rows[(held > 0).any(axis=1) & columns.is_open[rows]]
    nearest = sorted(used, key=lambda row: (int((columns.gpu_size[row] - columns.gpu[row]).sum()), row))[:_TRIED_NODES]
    parts = []
    for row in nearest:
        taken = columns.gpu_size[row] - columns.gpu[row]
        order = [int(index) for index in np.argsort(taken, kind="stable") if taken[index] > 0]
        name = question.fleet.names[row]
        parts += [FreeRoom((Freed(name, tuple(sorted(order[:number]))),)) for number in range(1, len(order) + 1)]
    parts.sort(key=lambda one: (one.gpus, one.freed))
    if not parts:
        return None
    return Offer(parts[0], lambda: next((one for one in parts if _fits(question, view, one)), None))


def _gain(now: Ints, empty: Ints, places: Ints) -> int:
    return int((empty[places] - now[places]).sum())


def _trimmed(question: Question, view: View, offer: Offer) -> Part | None:
    """Returns room lowered as long as the gang still starts: for several classes the count of one is only a guess."""
    part = offer.settle()
    while isinstance(part, FreeRoom):
        less = next((one for one in open_to_doubt(question, view, part) if _fits(question, view, one)), None)
        if less is None:
            return part
        part = less
    return part


def _open_nodes(question: Question, view: View) -> Offer | None:
    """Nodes that take pods again, those with most room first."""
    shortage, fleet = view.shortage, question.fleet
    closed = np.flatnonzero(~fleet.columns.is_open[: len(shortage.domain)] & (shortage.domain >= 0))
    gaps = [shortage.of_class(ask) for ask in waiting_of(view.gang)]
    each = [np.where(gap.allowed[closed], question.room(gap.cover, "closed")[closed], 0) for gap in gaps]
    rooms = np.maximum.reduce(each)
    closed, rooms = closed[rooms > 0], rooms[rooms > 0]
    lack = np.minimum.reduce([np.maximum(gap.lack, 1) for gap in gaps])
    found = []
    for least, places in by_domain(shortage, lack, closed):
        order = places[np.argsort(-rooms[places], kind="stable")]
        names = tuple(fleet.names[closed[place]] for place in order)
        low = int(np.searchsorted(np.cumsum(rooms[order]), least)) + 1
        found.append(_offer(question, view, low, len(names), partial(_first_of, names)))
    return next(_cheapest(found), None)


def _first_of(names: tuple[str, ...], number: int) -> OpenNodes:
    return OpenNodes(names[:number])


def _more_nodes(question: Question, view: View, make: Make) -> Offer | None:
    """Empty nodes of a make beside those that are there."""
    shortage, row = view.shortage, make.rows[0]
    domain = _domain_of_more(question, view, make)
    low = 1
    for gap in shortage.gaps:
        each = int(question.room(gap.cover, "closed", is_empty=True)[row]) if gap.allowed[row] else 0
        need = gap.need if domain is None else int(gap.lack[domain])
        if need > 0 and not each:
            return None
        low = max(low, -(-need // each) if each else 1)
    name, what, gpus = make.offer.name, make_of(len(make.offer.gpus), make.offer.model), len(make.offer.gpus)
    if low > MOST_MORE:
        return None
    return _offer(question, view, low, max(low, shortage.missing), lambda many: MoreNodes(name, what, many, gpus))


def _domain_of_more(question: Question, view: View, make: Make) -> int | None:
    """Returns the domain that more nodes of a make would belong to, None for one of their own."""
    level = view.gang.within
    if not level:
        return 0
    name, names = domain_name(level, nodes_like(make.offer, 1)[0]), question.fleet.domains(level)[1]
    return names.index(name) if name in names else None


def _cheapest(offers: Iterable[Offer | None]) -> Iterator[Offer]:
    """Yields every offer that there is, the cheapest first."""
    yield from sorted((one for one in offers if one is not None), key=lambda one: one.part.price)


def _fewer_pods(question: Question, view: View) -> Offer | None:
    """Fewer pods that start together, as many as make sense."""
    gang, classes = view.gang, waiting_of(view.gang)
    most = min(missing_of(gang) - 1, gang.minimum - question.least_pods)
    largest = max(classes, key=lambda ask: (classes[ask], ask))
    low = max(1, view.shortage.least) if len(classes) == 1 else 1
    return _offer(question, view, low, most, lambda many: FewerPods(many, gang.minimum, largest.gpu.total))
