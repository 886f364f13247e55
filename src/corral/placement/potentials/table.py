"""The keys of one class of pods on every node, kept up to date by the log of changed rows."""

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet.fleet import Fleet
from corral.placement.potentials.evaluation import NOWHERE, Evaluation, evaluate
from corral.placement.potentials.policies import Policy

__all__ = ["NOWHERE", "Table", "look", "look_first"]


class Table:
    """What each node would cost a class under a policy; only rows that changed since the last look are evaluated again."""

    def __init__(self, fleet: Fleet, policy: Policy, ask: PodAsk) -> None:
        self._fleet = fleet
        self._policy = policy
        self._ask = ask
        self._found = Evaluation(np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._position = 0
        self._shape = -1

    def look(self) -> Evaluation:
        """Returns the key of each row, of which the smallest is the choice, and the GPU that a share would get there."""
        changes, found = self._fleet.changes, self._found
        if self._shape == changes.shape and self._position == changes.position:
            return found
        changed = changes.since(self._position) if self._shape == changes.shape else None
        if changed is None or len(changed) > len(found.keys) // 2:
            rows = np.arange(self._fleet.columns.length)
            found = self._found = evaluate(self._fleet, self._policy, self._ask, rows)
        else:
            rows = np.array(changed, np.int64)
            renewed = evaluate(self._fleet, self._policy, self._ask, rows)
            found.keys[rows] = renewed.keys
            found.devices[rows] = renewed.devices
        self._shape, self._position = changes.shape, changes.position
        return found


def look(fleet: Fleet, policy: Policy, ask: PodAsk) -> Evaluation:
    """Returns the key of each row for an ask, and the GPU that a share would get there."""
    found = _table(fleet, policy, ask).look()
    beside = fleet.neighbourly(ask)
    if not ask.memory and beside is None:
        return found
    # Who asks for no memory fits even where too much of it was given away.
    fits = fleet.columns.memory[: len(found.keys)] >= ask.memory if ask.memory else np.True_
    return Evaluation(np.where(fits if beside is None else fits & beside, found.keys, NOWHERE), found.devices)


def look_first(fleet: Fleet, policy: Policy, ask: PodAsk) -> Evaluation:
    """Returns the same, right as to the smallest key alone, which costs less."""
    if ask.neighbours or ask.crowds:
        return look(fleet, policy, ask)
    found = _table(fleet, policy, ask).look()
    if not ask.memory or not len(found.keys) or fleet.columns.memory[found.keys.argmin()] >= ask.memory:
        return found
    return look(fleet, policy, ask)


def _table(fleet: Fleet, policy: Policy, ask: PodAsk) -> Table:
    """Memory of the host and neighbours cost nothing: asks that differ in them alone share a table, and they are looked at afterwards."""
    slim = ask
    if ask.memory or ask.crowds or ask.neighbours:
        slim = ask._replace(memory=0, crowds=(), neighbours=())
    return fleet.kept((policy, slim), lambda: Table(fleet, policy, slim))
