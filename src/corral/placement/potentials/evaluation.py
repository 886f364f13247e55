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
    outlook = _usable(fleet, Outlook(fleet.columns, rows, ask))
    fits = fitting_rows(fleet, outlook).nonzero()[0]
    if not len(fits):
        return Evaluation(keys, devices)
    if len(fits) < len(rows):
        outlook = outlook.narrowed(fits)
    cost = _weighed(fleet, policy, policy.weights, outlook)
    if outlook.is_share:
        cost = np.where(outlook.has_room, cost[:, None] if cost.ndim == 1 else cost, np.inf)
        if ask.gpu.number == 1:
            chosen = _cheapest(fleet, policy, outlook, cost)
            devices[fits] = chosen
            cost = cost[np.arange(len(fits)), chosen]
        else:
            # Of several GPUs that give a share each, the cheapest are taken, and what they cost adds up.
            number = ask.gpu.number
            cost = np.partition(cost, number - 1, axis=1)[:, :number].sum(axis=1)
    elif cost.ndim == 2:
        cost = np.where(outlook.has_room, cost, np.inf).min(axis=1)
    # Grains are clipped so that they and the order fit into one number.
    grains = np.minimum(np.maximum(np.floor(cost / policy.grain), -_HIGHEST), _HIGHEST).astype(np.int64)
    keys[fits] = (grains << _ORDER_BITS) + fleet.order()[outlook.rows]
    return Evaluation(keys, devices)


def cheapest_gpus(fleet: Fleet, policy: Policy, ask: PodAsk, row: int) -> list[int]:
    """Returns the GPUs of a row that could serve an ask, cheapest first, and of equal ones the first."""
    outlook = _usable(fleet, Outlook(fleet.columns, np.array([row]), ask))
    usable: list[int] = outlook.has_room[0].nonzero()[0].tolist()
    if not outlook.is_share:
        return usable
    cost, inside = (
        np.broadcast_to(found if found.ndim == 2 else found[:, None], outlook.gpu.shape)[0]
        for found in (_weighed(fleet, policy, weights, outlook) for weights in (policy.weights, policy.inside))
    )
    return sorted(usable, key=lambda index: (cost[index], inside[index], index))


def fitting_rows(fleet: Fleet, outlook: Outlook) -> Bools:
    """Returns which rows of an outlook can take its ask."""
    columns, rows, ask = fleet.columns, outlook.rows, outlook.ask
    fits: Bools = columns.is_open[rows] & (columns.pods[rows] > 0)
    if ask.rules:
        fits &= fleet.allowed(ask.rules)[rows]
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
        room = outlook.has_room
        fits &= room.any(axis=1) if ask.gpu.number == 1 else room.sum(axis=1) >= ask.gpu.number
    return fits


def _usable(fleet: Fleet, outlook: Outlook) -> Outlook:
    """Leaves room only on the GPUs that the ask names, if it names any."""
    if outlook.ask.gpu.devices:
        outlook.has_room = outlook.has_room & named_gpus(fleet, outlook.ask.gpu.devices, outlook.rows)
    return outlook


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
    potentials = fleet.kept(
        ("weighed", policy.statistics, weights, len(fleet.models)),
        lambda: [(weight, potential_of(fleet, policy.statistics, name)) for name, weight in weights],
    )
    costs = [weight * potential(outlook) for weight, potential in potentials]
    if not outlook.ask.gpu.number:
        costs = [cost for cost in costs if cost.ndim == 1]  # to who needs no GPU none of them costs anything
    if len(costs) == 1:
        return costs[0]
    if any(cost.ndim == 2 for cost in costs):
        costs = [cost if cost.ndim == 2 else cost[:, None] for cost in costs]
    return sum(costs, np.zeros(1)) if costs else np.zeros(len(outlook.rows))


def _cheapest(fleet: Fleet, policy: Policy, outlook: Outlook, cost: Floats) -> Ints:
    """Returns for each row the first GPU of least cost, and among those of least cost inside."""
    if policy.inside:
        inside = _weighed(fleet, policy, policy.inside, outlook)
        cost = np.where(
            cost == cost.min(axis=1, keepdims=True), inside if inside.ndim == 2 else inside[:, None], np.inf
        )
    return np.asarray(cost.argmin(axis=1), np.int64)
