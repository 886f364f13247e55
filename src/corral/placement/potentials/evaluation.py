"""Which of some rows could take an ask, what each would cost, and which GPU would be the one.

The result is one whole number a row, its *key*: the cost in grains above, the place in the fixed random order below. The smallest key
is the choice, and there are no ties.
"""

from typing import NamedTuple

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet.columns import Bools, Floats, Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.potentials.catalogue import potential_of
from corral.placement.potentials.models import allowed_models
from corral.placement.potentials.outlook import Outlook
from corral.placement.potentials.policies import Policy, Weights

NOWHERE = np.iinfo(np.int64).max
"""The key of a row that cannot take the ask."""
_ORDER_BITS = 22
_HIGHEST = float(1 << 40)


class Evaluation(NamedTuple):
    """What was found for some rows, in their order."""

    keys: Ints
    devices: Ints
    """The GPU for an ask of one; -1 where the choice is made later."""


def evaluate(fleet: Fleet, policy: Policy, ask: PodAsk, rows: Ints) -> Evaluation:
    """Evaluates some rows for an ask under a policy."""
    keys = np.full(len(rows), NOWHERE, np.int64)
    devices = np.full(len(rows), -1, np.int64)
    outlook = Outlook(fleet.columns, rows, ask)
    fits = np.flatnonzero(fitting_rows(fleet, outlook))
    if not len(fits):
        return Evaluation(keys, devices)
    if len(fits) < len(rows):
        outlook = Outlook(fleet.columns, rows[fits], ask)
    cost = _weighed(fleet, policy, policy.weights, outlook)
    if ask.gpu.number:
        usable = usable_gpus(fleet, outlook)
        inside = _weighed(fleet, policy, policy.inside, outlook)
        chosen = _cheapest(cost, inside, usable)
        if cost.shape[1] > 1:
            cost = np.take_along_axis(cost, chosen[:, None], axis=1)
        if ask.gpu.number == 1:
            devices[fits] = chosen
    grains = np.floor(np.clip(cost[:, 0] / policy.grain, -_HIGHEST, _HIGHEST)).astype(np.int64)
    keys[fits] = (grains << _ORDER_BITS) + fleet.order()[rows[fits]]
    return Evaluation(keys, devices)


def fitting_rows(fleet: Fleet, outlook: Outlook) -> Bools:
    """Returns which rows of an outlook can take its ask."""
    columns, rows, ask = fleet.columns, outlook.rows, outlook.ask
    fits = columns.is_open[rows] & fleet.allowed(ask.rules)[rows] & (columns.pods[rows] > 0)
    # What asks for nothing of a resource fits even where too much of it was given away.
    if ask.cpu:
        fits &= outlook.cpu >= ask.cpu
    if ask.memory:
        fits &= outlook.memory >= ask.memory
    for name, amount in ask.others:
        column = columns.others.get(name)
        fits &= column[rows] >= amount if column is not None else amount <= 0
    if ask.gpu.number:
        models = allowed_models(fleet, ask.gpu)
        if models is not None:
            fits &= models[outlook.model]
        fits &= usable_gpus(fleet, outlook).sum(axis=1) >= ask.gpu.number
    return fits


def usable_gpus(fleet: Fleet, outlook: Outlook) -> Bools:
    """Returns node by GPU whether it has room and is one of those that the ask names, if it names any."""
    named = outlook.ask.gpu.devices
    if not named:
        return outlook.has_room
    mask = np.zeros(outlook.gpu.shape, np.bool_)
    rows = {int(row): place for place, row in enumerate(outlook.rows)}
    for name in named:
        if name.isdigit():
            if int(name) < fleet.columns.breadth:
                mask[:, int(name)] = True
            continue
        node, index = fleet.device(name)
        place = rows.get(-1 if node is None else node)
        if place is not None:
            mask[place, index] = True
    return mask & outlook.has_room


def _weighed(fleet: Fleet, policy: Policy, weights: Weights, outlook: Outlook) -> Floats:
    total = np.zeros((len(outlook.rows), 1))
    for name, weight in weights:
        cost = potential_of(fleet, policy.statistics, name)(outlook)
        total = total + weight * (cost if cost.ndim == 2 else cost[:, None])
    return total


def _cheapest(cost: Floats, inside: Floats, usable: Bools) -> Ints:
    """Returns for each row the first GPU of least cost, and among those of least cost inside."""
    outer = np.where(usable, cost, np.inf)
    inner = np.where(outer == outer.min(axis=1, keepdims=True), inside, np.inf)
    return np.asarray(inner.argmin(axis=1), np.int64)
