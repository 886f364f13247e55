"""Nodes alike as far as a gang can tell: equal offers, equal taints, and equal values of the labels that its rules and levels name.

A rule decides for all nodes of a make at once, so rules are tried on a handful of makes and not on every node.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from corral.placement.asks import Gang
from corral.placement.fleet import Fleet, RuleSet
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.fleet.levels import domain_name
from corral.placement.fleet.rules import NAME_FIELD, REPELLING
from corral.placement.gangs.words import make_of
from corral.placement.offers import NodeOffer


class Make(NamedTuple):
    """Nodes that are alike, closed or not."""

    name: str
    """Such as `8 x A100`, with the labels that tell it from others."""
    offer: NodeOffer
    """One of them."""
    rows: Ints


class Makes:
    """All makes of a fleet, from the point of view of one gang."""

    def __init__(self, fleet: Fleet, gang: Gang, levels: Sequence[str]) -> None:
        sets = (fleet.rule_set(one.ask.rules) for one in gang.members)
        rules = [one for one in sets if one is not None]
        keys = sorted({key for one in rules for key in _named(one)} - {NAME_FIELD})
        by_name = any(NAME_FIELD in _named(one) for one in rules)
        pinned = any(not device.isdigit() for one in gang.members for device in one.ask.gpu.devices)
        found: dict[object, list[int]] = {}
        shapes: dict[object, int] = {}
        for name, offer in fleet.offers.items():
            shape = shapes.setdefault(_shape(offer, keep_uuids=pinned), len(shapes))
            labels = dict(offer.labels) if keys else {}
            key = (
                shape,
                tuple(labels.get(one) for one in keys),
                tuple(domain_name(level, offer) for level in levels),
                name if by_name else "",
            )
            row = fleet.row(name)
            if row is not None:
                found.setdefault(key, []).append(row)
        self._fleet = fleet
        self.makes = tuple(_make(fleet, rows, keys) for rows in found.values())
        self.of_row = np.full(fleet.columns.length, len(self.makes), np.int64)
        """By row the number of its make; vacant rows have the number behind the last. Rows that trials add are none of it."""
        for number, make in enumerate(self.makes):
            self.of_row[make.rows] = number

    def rows_where(self, passes: Callable[[NodeOffer], bool]) -> Bools:
        """Returns by row whether something holds for its make."""
        answers = np.array([*(passes(make.offer) for make in self.makes), False], np.bool_)
        return np.asarray(answers[self.of_row])

    def allowed(self, rules: Iterable[int]) -> Bools:
        """Returns by row whether any of some sets of rules allows it."""
        sets = [self._fleet.rule_set(number) for number in set(rules)]
        return self.rows_where(lambda offer: any(one is None or one.allows(offer) for one in sets))


def _named(rules: RuleSet) -> set[str]:
    return {key for key, _ in rules.selector} | {one.key for term in rules.affinity for one in term}


def _shape(offer: NodeOffer, *, keep_uuids: bool) -> object:
    gpus = offer.gpus if keep_uuids else tuple((gpu.milli, gpu.memory) for gpu in offer.gpus)
    taints = tuple(taint for taint in offer.taints if taint.effect in REPELLING)
    return offer.cpu, offer.memory, offer.pods, gpus, offer.model, offer.others, taints


def _make(fleet: Fleet, rows: list[int], keys: Sequence[str]) -> Make:
    offer = fleet.offers[fleet.names[rows[0]]]
    labels = dict(offer.labels)
    said = [labels[key] for key in keys if key in labels]
    taints = [taint.key for taint in offer.taints if taint.effect in REPELLING]
    name = ", ".join([make_of(len(offer.gpus), offer.model), *said, *(f"taint {key}" for key in taints)])
    return Make(name, offer, np.array(rows, np.int64))
