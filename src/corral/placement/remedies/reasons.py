"""The binding constraint in a sentence: what is needed, what there is, and who holds the rest."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corral.placement.asks import WHOLE, PodAsk
from corral.placement.fleet.columns import Ints
from corral.placement.gangs.words import gpus_of, share_of
from corral.placement.remedies.binding import (
    CLOSED,
    DEVICE_TAKEN,
    DOES_NOT_FIT,
    NO_DOMAIN,
    NO_NODE_ALLOWED,
    NO_NODES,
    NO_SUCH_MODEL,
    SCATTERED,
    SHORT_OF,
    SHORT_OF_GPUS,
    TOO_LARGE,
    WRONG_NEIGHBOURS,
)
from corral.placement.remedies.question import Question, View
from corral.placement.remedies.remedy import joined
from corral.placement.remedies.shortage import Gap
from corral.placement.remedies.standings import OTHERS, Holding, MakeStanding, Nearest, holders_on, nearest_of
from corral.placement.remedies.words import amount_words, gpus_words, listed, wish_words

_MOST_HOLDERS = 3


class Facts(NamedTuple):
    """What a sentence is made from."""

    question: Question
    view: View
    code: str
    gap: Gap
    standings: tuple[MakeStanding, ...]
    subject: str = "it"

    @property
    def ask(self) -> PodAsk:
        """Returns the class that is scarcest."""
        return self.gap.classes[-1]

    @property
    def reachable(self) -> list[MakeStanding]:
        """Returns the makes that may take it, the nearest first."""
        return [one for one in self.standings if one.obstacle is None]

    @property
    def nearest(self) -> Nearest | None:
        """Returns the node that comes nearest."""
        return next((one.nearest for one in self.reachable if one.nearest is not None), None)

    @property
    def found(self) -> int:
        """Returns how many of the pods that must find room would find it now."""
        return max(0, self.view.shortage.missing - max(self.view.shortage.least, 1))

    @property
    def finding(self) -> str:
        """Returns how many find room, in words."""
        return f"{self.found or 'none'} find{'s' if self.found < 2 else ''} room"


def sentence_for(facts: Facts) -> str:
    """Returns what is needed and what there is, as a sentence without its full stop."""
    tell = _SENTENCES.get(facts.code) or (_short_of if facts.code.startswith(SHORT_OF) else _too_few_fit)
    return tell(facts)


def needs(ask: PodAsk) -> str:
    """Returns what one pod needs on a node, in words; GPUs alone when it has some."""
    share = share_of(ask.gpu)
    if share:
        named = f" (GPU {' or '.join(ask.gpu.devices)})" if ask.gpu.devices else ""
        model = f" of model {' or '.join(ask.gpu.models)}" if ask.gpu.models else ""
        return f"{share}{model}{named}"
    return (
        " and ".join(amount_words(*pair) for pair in (("cpu", ask.cpu), ("memory", ask.memory)) if pair[1]) or "a place"
    )


def head(facts: Facts) -> str:
    """Returns what is needed: for one pod, or for how many at once."""
    missing, what = facts.view.shortage.missing, joined([needs(facts.ask), *_too_much(facts)])
    if missing == 1:
        return f"{facts.subject} needs {what} on one node"
    if len({needs(one) for gap in facts.view.shortage.gaps for one in gap.classes}) == 1:
        return f"{missing} pods must start together, each needs {what} on one node"
    return f"{missing} pods must start together, the scarcest need {what} on one node each"


def _too_much(facts: Facts) -> Iterator[str]:
    """Yields what beside GPUs is the reason why not even empty nodes would do."""
    ask, question, offers = facts.ask, facts.question, [one.offer for one in facts.question.makes.makes]
    if facts.code != TOO_LARGE or not ask.gpu.number:
        return
    now = question.room(ask, "closed", is_empty=True).sum()
    for name, amount, most in (
        ("cpu", ask.cpu, max(one.cpu for one in offers)),
        ("memory", ask.memory, max(one.memory for one in offers)),
    ):
        if amount > most or question.room(ask, "closed", name, is_empty=True).sum() > now:
            yield amount_words(name, amount)


def _too_few_fit(facts: Facts) -> str:
    """GPUs are short: how many are free where they come nearest, and who holds the others."""
    nearest = facts.nearest
    if nearest is None:
        return f"{head(facts)}, and every node that may take it is closed (cordoned or not ready)"
    if facts.view.shortage.missing > 1:
        return _too_few_of_many(facts)
    return f"{head(facts)}, best node has {_free_on(facts.ask, nearest)}"


def _too_few_of_many(facts: Facts) -> str:
    """How many find room, and what of all GPUs is held by whom."""
    nodes = [facts.question.fleet.names[row] for row in _open_rows(facts)]
    free = sum(one.free_milli for one in facts.reachable)
    holders = holders_on(facts.question, *nodes)
    held = held_by(holders, lambda one: one.milli, _gpu_words).removeprefix(": ")
    told = f"{head(facts)}, and {facts.finding}: {gpus_of(free)} are free"
    if facts.code == SCATTERED:
        room = facts.question.room(facts.ask)
        full = [row for row in _open_rows(facts) if not room[row]]
        if full:
            best = nearest_of(facts.question, facts.ask, np.array(full))
            return f"{told}, but scattered; the next best node has {_free_on(facts.ask, best)}"
    return f"{told}{f', {held}' if held else ''}"


def _open_rows(facts: Facts) -> Ints:
    fleet, makes = facts.question.fleet, facts.question.makes.makes
    reachable = {one.make for one in facts.reachable}
    rows = [make.rows for make in makes if make.name in reachable]
    together = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    return together[facts.gap.allowed[together] & fleet.columns.is_open[together]]


def _free_on(ask: PodAsk, nearest: Nearest) -> str:
    if ask.gpu.is_share:
        free = (
            f"{gpus_words(nearest.free_milli / WHOLE)} free, none with {share_of(ask.gpu)}" if nearest.gpus < 1 else ""
        )
        free = free or f"{nearest.gpus} with room"
    else:
        free = f"{nearest.gpus} free"
    return f"{free} ({nearest.node}{held_by(nearest.holders, lambda one: one.milli, _gpu_words)})"


def held_by(holders: Sequence[Holding], amount: Callable[[Holding], int], said: Callable[[int], str]) -> str:
    """Returns who holds how much, to follow the name of a node; "" when nobody does."""
    some = [one for one in holders if amount(one)]
    told = [f"{said(amount(one))} held by {one.name}" for one in some[:_MOST_HOLDERS]]
    return f": {', '.join(told)}{', and more by others' if len(some) > _MOST_HOLDERS else ''}" if told else ""


def _gpu_words(milli: int) -> str:
    return f"{milli / WHOLE:g}"


def _scattered(facts: Facts) -> str:
    """Enough is free in all, but never enough on one node."""
    free = sum(one.free_milli for one in facts.reachable)
    nodes = sum(one.nodes - one.closed for one in facts.reachable)
    nearest = facts.nearest
    if nearest is None or facts.view.shortage.missing > 1:
        return _too_few_fit(facts)
    most = max((one.nearest.gpus for one in facts.reachable if one.nearest is not None), default=0)
    told = held_by(nearest.holders, lambda one: one.milli, _gpu_words)
    return f"{head(facts)}; {gpus_of(free)} are free on {nodes} nodes, at most {most} on one ({nearest.node}{told})"


def _short_of(facts: Facts) -> str:
    """Something else than GPUs is short on nodes that would do."""
    resource, ask, question = facts.code.removeprefix(SHORT_OF), facts.ask, facts.question
    amount = {"cpu": ask.cpu, "memory": ask.memory, "pods": 1}.get(resource) or dict(ask.others).get(resource, 0)
    fits = "" if facts.view.shortage.missing == 1 else f", and {facts.finding}"
    told = f"{_one(facts)} {amount_words(resource, amount)} on one node{fits}"
    room = question.room(ask)
    otherwise = np.flatnonzero(facts.gap.allowed & (question.room(ask, resource) > room))
    columns = question.fleet.columns
    column = {"cpu": columns.cpu, "memory": columns.memory}.get(resource)
    if not len(otherwise):
        return _nothing_alone(facts)
    if column is None:
        return f"{told}; nodes that would do otherwise have too little of it left"
    left = column[otherwise] - room[otherwise] * amount
    best = int(left.argmax())
    node = question.fleet.names[otherwise[best]]
    holding: Callable[[Holding], int] = (lambda one: one.cpu) if resource == "cpu" else (lambda one: one.memory)
    holders = sorted(holders_on(question, node), key=lambda one: -holding(one))
    who = held_by(holders, holding, lambda held: amount_words(resource, held))
    return f"{told}; {node} would do otherwise and has {amount_words(resource, max(0, int(left[best])))} left{who}"


def _nothing_alone(facts: Facts) -> str:
    """Several things are short, and more of one alone would not help."""
    ask, nearest = facts.ask, facts.nearest
    wanted = [amount_words(*pair) for pair in (("cpu", ask.cpu), ("memory", ask.memory)) if pair[1]]
    told = f"{_one(facts)} {joined([*([share_of(ask.gpu)] if ask.gpu.number else []), *wanted])} on one node"
    if nearest is None:
        return f"{told}, and every node that may take it is closed (cordoned or not ready)"
    there = [
        *([f"{gpus_words(nearest.gpus)}"] if ask.gpu.number else []),
        amount_words("cpu", nearest.cpu),
        amount_words("memory", nearest.memory),
    ]
    return f"{told}; {nearest.node} comes nearest, with {joined(there)} left"


def _one(facts: Facts) -> str:
    missing = facts.view.shortage.missing
    return f"{facts.subject} needs" if missing == 1 else f"{missing} pods must start together, each needs"


def _kept_away(facts: Facts) -> str:
    """Something keeps it from every node."""
    total, it = sum(one.nodes for one in facts.standings), "it" if facts.view.shortage.missing == 1 else "them"
    away = _by_obstacle(one for one in facts.standings if one.obstacle is not None)
    if total == 1:
        return f"{head(facts)}, and the only node cannot take {it}: it is {away[0].obstacle}"
    told = listed([f"{one.nodes} {'is' if one.nodes == 1 else 'are'} {one.obstacle}" for one in away], 4)
    return f"{head(facts)}, and none of {total} nodes can take {it}: {told}"


class _Away(NamedTuple):
    obstacle: str
    nodes: int


def _by_obstacle(makes: Iterable[MakeStanding]) -> list[_Away]:
    counted: dict[str, int] = {}
    for one in makes:
        if one.obstacle is not None:
            counted[one.obstacle.words] = counted.get(one.obstacle.words, 0) + one.nodes
    return sorted((_Away(*pair) for pair in counted.items()), key=lambda one: (-one.nodes, one.obstacle))


def _too_large(facts: Facts) -> str:
    """Not even empty nodes would do."""
    nodes = sum(one.nodes for one in facts.reachable)
    if not nodes:
        return _kept_away(facts)
    if nodes == 1:
        return f"{head(facts)}, and the only node that may take them is too small for all, even empty"
    return f"{head(facts)}, and the {nodes} nodes that may take them are too few, even empty"


def _no_domain(facts: Facts) -> str:
    """There is room, but not in one domain of the level."""
    shortage, gang = facts.view.shortage, facts.view.gang
    most = max(0, shortage.missing - max(shortage.least, 1))
    names = facts.question.fleet.domains(gang.within)[1]
    best = f" ({names[int(shortage.lack.argmin())]})" if names and len(shortage.lack) else ""
    found = f"at most {most} find{'s' if most == 1 else ''} room" if most else "none finds room"
    return f"{shortage.missing} pods must start within one {gang.within}, and {found} in one{best}"


def _device_taken(facts: Facts) -> str:
    """The GPU that it names is held."""
    ask, devices = facts.ask, [int(one) for one in facts.ask.gpu.devices if one.isdigit()]
    fleet, owners = facts.question.fleet, facts.question.owners
    rows = (fleet.row(name) for name in fleet.offers)
    allowed = [row for row in rows if row is not None and facts.gap.allowed[row]]
    holds = (hold for row in allowed for hold in fleet.held_on(fleet.names[row]) if set(hold.devices) & set(devices))
    held = dict.fromkeys(f"{owners.get(hold.seat.uid, OTHERS)} on {hold.seat.node}" for hold in holds)
    told = f", which {listed(list(held))} {'holds' if len(held) == 1 else 'hold'}" if held else ", which is taken"
    return f"{facts.subject} needs GPU {' or '.join(ask.gpu.devices)} of a node{told}"


def _not_side_by_side(facts: Facts) -> str:
    return f"{head(facts)}, and no way was found to place them side by side"


def _wrong_neighbours(facts: Facts) -> str:
    """There is room, but not beside those who are there."""
    wishes = [wish_words(one) for one in facts.ask.neighbours] or ["beside nobody who keeps it away"]
    return f"{head(facts)}, {joined(wishes)}, and no node with room meets that"


_SENTENCES: Mapping[str, Callable[[Facts], str]] = {
    NO_NODES: lambda facts: f"{head(facts)}, and there are no nodes",
    NO_NODE_ALLOWED: _kept_away,
    NO_SUCH_MODEL: _kept_away,
    TOO_LARGE: _too_large,
    NO_DOMAIN: _no_domain,
    CLOSED: lambda facts: f"{head(facts)}, and nodes that would do are closed (cordoned or not ready)",
    DEVICE_TAKEN: _device_taken,
    SCATTERED: _scattered,
    SHORT_OF_GPUS: _too_few_fit,
    DOES_NOT_FIT: _not_side_by_side,
    WRONG_NEIGHBOURS: _wrong_neighbours,
}
