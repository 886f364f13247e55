"""The single wishes that a gang could take back, as parts; each is there or not, none has a number."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from corral.placement.asks import Gang
from corral.placement.fleet import Fleet
from corral.placement.fleet.columns import Ints
from corral.placement.fleet.levels import MODEL, NODE, SHORT
from corral.placement.fleet.rules import REPELLING
from corral.placement.gangs.filling import BUNDLE, SPREAD
from corral.placement.remedies.remedy import Part
from corral.placement.remedies.shortage import waiting_of
from corral.placement.remedies.wishes import (
    AnyDevice,
    AnyModel,
    DropExpression,
    DropLabel,
    DropNeighbours,
    OtherDevice,
    OtherStrategy,
    Tolerate,
    Widen,
)

MOST = 12
"""Of so many switches sets are formed: 66 pairs, 220 triples."""


class Switches(NamedTuple):
    """All switches, and the topology levels that matter to them."""

    parts: tuple[Part, ...]
    levels: tuple[str, ...]
    left_out: int = 0
    """How many there are beyond the most."""


def switches_of(fleet: Fleet, gang: Gang) -> Switches:
    """Returns what a gang could take back that keeps it from some node, or that the engine heeds."""
    ladder = _ladder(fleet, gang.within) if gang.within else ()
    parts = list(dict.fromkeys([*_rules(fleet, gang), *_neighbours(gang), *_gpus(fleet, gang), *_shape(gang, ladder)]))
    return Switches(tuple(parts[:MOST]), tuple(one for one in ladder if one), max(0, len(parts) - MOST))


def _rules(fleet: Fleet, gang: Gang) -> Iterator[Part]:
    sets = [found for ask in waiting_of(gang) if (found := fleet.rule_set(ask.rules)) is not None]
    offers = list(fleet.offers.values())
    for one in sets:
        for key, value in one.selector:
            if any(dict(offer.labels).get(key) != value for offer in offers):
                yield DropLabel(key, value)
        yield from (DropExpression(*expression) for term in one.affinity for expression in term)
    taints = dict.fromkeys(taint for offer in offers for taint in offer.taints if taint.effect in REPELLING)
    for taint in taints:
        if any(not any(one.bears(taint) for one in found.tolerations) for found in sets):
            yield Tolerate(taint.key, taint.value, taint.effect)


def _neighbours(gang: Gang) -> Iterator[Part]:
    yield from (DropNeighbours(*one) for ask in waiting_of(gang) for one in ask.neighbours)


def _gpus(fleet: Fleet, gang: Gang) -> Iterator[Part]:
    asks = [ask.gpu for ask in waiting_of(gang) if ask.gpu.number]
    models = tuple(dict.fromkeys(model for gpu in asks for model in gpu.models))
    refused = tuple(dict.fromkeys(model for gpu in asks for model in gpu.refused_models))
    if models or refused:
        yield AnyModel(models, refused)
    named = tuple(dict.fromkeys(device for gpu in asks for device in gpu.devices))
    if named:
        single = all(gpu.number == 1 for gpu in asks)
        others = (
            tuple(str(index) for index in range(fleet.columns.breadth) if str(index) not in named) if single else ()
        )
        yield from (OtherDevice(device, named) for device in others)
        yield AnyDevice(named, others)


def _shape(gang: Gang, ladder: tuple[str, ...]) -> Iterator[Part]:
    yield from (Widen(ladder, step) for step in range(1, len(ladder)))
    if len(waiting_of(gang)) > 1 or any(ask.gpu.is_share and ask.gpu.number > 1 for ask in waiting_of(gang)):
        yield from (OtherStrategy(one, gang.strategy) for one in (BUNDLE, SPREAD) if one != gang.strategy)


def _ladder(fleet: Fleet, level: str) -> tuple[str, ...]:
    """Returns a level, the wider ones that the labels of nodes draw, narrowest first, and "" for anywhere."""
    here, _ = fleet.domains(level)
    keys = {key for offer in fleet.offers.values() for key, _ in offer.labels if "topology" in key}
    wider: dict[bytes, tuple[int, str]] = {}
    for one in sorted({*SHORT, *keys} - {level, NODE, MODEL}):
        there, _ = fleet.domains(one)
        pairs = {(int(mine), int(theirs)) for mine, theirs in zip(here, there, strict=True) if mine >= 0}
        outer = {theirs for _, theirs in pairs}
        # Wider is what puts every domain into one of fewer.
        if pairs and -1 not in outer and len(pairs) == len({mine for mine, _ in pairs}) > len(outer):
            wider.setdefault(_drawn(here, there), (-len(outer), one))
    return (level, *(one for _, one in sorted(wider.values())), "")


def _drawn(here: Ints, there: Ints) -> bytes:
    return np.unique(there[here >= 0], return_inverse=True)[1].tobytes()
