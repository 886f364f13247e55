"""Which of some rows could take an ask, what each would cost, and which GPUs would be the ones.

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
    """The GPU for a share of one; -1 where GPUs are chosen later."""


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
    if ask.gpu.is_share:
        cost = np.where(usable_gpus(fleet, outlook), cost, np.inf)
        if ask.gpu.number == 1:
            devices[fits] = _cheapest(fleet, policy, outlook, cost)
            cost = cost.min(axis=1, keepdims=True)
        else:
            # Of several GPUs that give a share each, the cheapest are taken, and what they cost adds up.
            number = ask.gpu.number
            cost = np.partition(cost, number - 1, axis=1)[:, :number].sum(axis=1, keepdims=True)
    grains = np.floor(np.clip(cost[:, 0] / policy.grain, -_HIGHEST, _HIGHEST)).astype(np.int64)
    keys[fits] = (grains << _ORDER_BITS) + fleet.order()[rows[fits]]
    return Evaluation(keys, devices)


def cheapest_gpus(fleet: Fleet, policy: Policy, ask: PodAsk, row: int) -> list[int]:
    """Returns the GPUs of a row that could serve an ask, cheapest first, and of equal ones the first."""
    outlook = Outlook(fleet.columns, np.array([row]), ask)
    usable = [int(index) for index in np.flatnonzero(usable_gpus(fleet, outlook)[0])]
    if not ask.gpu.is_share:
        return usable
    cost = np.broadcast_to(_weighed(fleet, policy, policy.weights, outlook), outlook.gpu.shape)[0]
    inside = np.broadcast_to(_weighed(fleet, policy, policy.inside, outlook), outlook.gpu.shape)[0]
    return sorted(usable, key=lambda index: (cost[index], inside[index], index))


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
    return named_gpus(fleet, named, outlook.rows) & outlook.has_room if named else outlook.has_room


def named_gpus(fleet: Fleet, names: tuple[str, ...], rows: Ints) -> Bools:
    """Returns row by GPU whether it is one of those named, by index or by uuid."""
    mask = np.zeros((len(rows), fleet.columns.breadth), np.bool_)
    for name in names:
        if name.isdigit():
            if int(name) < fleet.columns.breadth:
                mask[:, int(name)] = True
            continue
        row, index = fleet.device(name)
        if row is not None:
            mask[rows == row, index] = True
    return mask


def _weighed(fleet: Fleet, policy: Policy, weights: Weights, outlook: Outlook) -> Floats:
    total = np.zeros((len(outlook.rows), 1))
    for name, weight in weights:
        cost = potential_of(fleet, policy.statistics, name)(outlook)
        total = total + weight * (cost if cost.ndim == 2 else cost[:, None])
    return total


def _cheapest(fleet: Fleet, policy: Policy, outlook: Outlook, cost: Floats) -> Ints:
    """Returns for each row the first GPU of least cost, and among those of least cost inside."""
    if policy.inside:
        inside = _weighed(fleet, policy, policy.inside, outlook)
        cost = np.where(cost == cost.min(axis=1, keepdims=True), inside, np.inf)
    return np.asarray(cost.argmin(axis=1), np.int64)
