"""Every small set of changes, tried by the engine alone: what the search must not have missed.

Nothing of the search is used here but the parts themselves and the list of switches: no counting, no order, no pruning.
"""

from collections.abc import Iterator
from itertools import combinations

from corral.placement.asks import Gang, Plan
from corral.placement.fleet import Fleet
from corral.placement.gangs import plan
from corral.placement.gangs.words import make_of
from corral.placement.remedies.minimal import smaller_sets
from corral.placement.remedies.reductions import GPUS, Cap, FewerPods, SmallerPods
from corral.placement.remedies.remedy import Part, Parts
from corral.placement.remedies.shortage import missing_of, waiting_of
from corral.placement.remedies.supplies import Freed, FreeRoom, MoreNodes, OpenNodes, end_of
from corral.placement.remedies.switches import switches_of
from tests.domain.placement.remedies.clusters import POLICY, Case


class Engine:
    """Tries sets of parts on one case, each from the beginning."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.fleet = case.fleet()
        self._answers: dict[Parts, bool] = {}

    def starts(self, parts: Parts) -> bool:
        """Whether the engine starts the gang with these changes."""
        if parts not in self._answers:
            self._answers[parts] = self._tried(self.fleet, parts)
        return self._answers[parts]

    def is_minimal(self, parts: Parts) -> bool:
        """Whether it starts, and with no smaller set."""
        return self.starts(parts) and not any(self.starts(less) for less in smaller_sets(parts))

    def _tried(self, fleet: Fleet, parts: Parts) -> bool:
        gang = self.case.gang
        for part in parts:
            gang = part.asked(fleet, gang)
        with fleet.draft():
            for part in parts:
                part.carry_out(fleet)
            return isinstance(plan(fleet, gang, POLICY), Plan)


def named_sets(engine: Engine, most: int) -> Iterator[Parts]:
    """Yields every minimal set of switches and ended jobs up to a size."""
    case = engine.case
    switches = switches_of(engine.fleet, case.gang).parts
    jobs = tuple(end_of(engine.fleet, job) for job in case.jobs if job.may_end)
    for size in range(1, most + 1):
        for parts in combinations((*switches, *jobs), size):
            if len({one.topic for one in parts}) == size and engine.is_minimal(parts):
                yield parts


def counted_sets(engine: Engine, most: int) -> Iterator[Parts]:
    """Yields every minimal set of switches and one part with a number, up to a size."""
    for chosen, gang in _chosen(engine, most):
        for part in _counted(engine.fleet, gang):
            if engine.is_minimal((*chosen, part)):
                yield (*chosen, part)


def freed_sets(engine: Engine, most: int) -> Iterator[tuple[Parts, str, int]]:
    """Yields switches, a node and a number of GPUs: with so many of its GPUs free, whichever, it starts, and with no fewer."""

    def starts(switches: Parts, node: str, number: int) -> bool:
        sets = combinations(range(len(engine.fleet.offers[node].gpus)), number)
        return any(engine.starts((*switches, FreeRoom((Freed(node, gpus),))) if gpus else switches) for gpus in sets)

    for chosen, _ in _chosen(engine, most):
        for node, offer in engine.fleet.offers.items():
            least = next((number for number in range(len(offer.gpus) + 1) if starts(chosen, node, number)), 0)
            if least and not any(starts(one, node, least) for one in smaller_sets(chosen)):
                yield chosen, node, least


def _chosen(engine: Engine, most: int) -> Iterator[tuple[Parts, Gang]]:
    switches = switches_of(engine.fleet, engine.case.gang).parts
    for size in range(most):
        for chosen in combinations(switches, size):
            if len({one.topic for one in chosen}) == size:
                gang = engine.case.gang
                for one in chosen:
                    gang = one.asked(engine.fleet, gang)
                yield chosen, gang


def _counted(fleet: Fleet, gang: Gang) -> Iterator[Part]:
    missing = missing_of(gang)
    classes = waiting_of(gang)
    largest = max(classes, key=lambda ask: (classes[ask], ask))
    yield from (FewerPods(number, gang.minimum, largest.gpu.total) for number in range(1, missing))
    most = max(ask.gpu.number for ask in classes)
    yield from (SmallerPods((Cap(GPUS, number, most),)) for number in range(1, most))
    for offer in fleet.offers.values():
        what = make_of(len(offer.gpus), offer.model)
        yield from (MoreNodes(offer.name, what, number, len(offer.gpus)) for number in range(1, missing + 1))
    closed = [name for name, offer in fleet.offers.items() if offer.is_closed]
    for number in range(1, len(closed) + 1):
        yield from (OpenNodes(chosen) for chosen in combinations(closed, number))


def names_of(switches: Parts) -> frozenset[str]:
    """Returns the names of switches."""
    return frozenset(str(one) for one in switches)


def kind_and_number(parts: Parts) -> tuple[frozenset[str], str, int]:
    """Returns the switches of a set, what its last part is about, and its number; for room, how many GPUs."""
    last, switches = parts[-1], names_of(parts[:-1])
    match last:
        case FewerPods():
            return switches, "fewer", last.number
        case SmallerPods() if [cap.resource for cap in last.caps] == [GPUS]:
            return switches, "smaller", last.caps[0].before - last.caps[0].most
        case MoreNodes():
            return switches, "nodes", last.number
        case OpenNodes():
            return switches, "open", len(last.nodes)
        case FreeRoom():
            return switches, "room", last.gpus
    return switches, type(last).__name__, 0
