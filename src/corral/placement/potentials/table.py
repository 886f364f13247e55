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
    if not ask.memory:
        return found
    enough = fleet.columns.memory[: len(found.keys)] >= ask.memory
    return Evaluation(np.where(enough, found.keys, NOWHERE), found.devices)


def look_first(fleet: Fleet, policy: Policy, ask: PodAsk) -> Evaluation:
    """Returns the same, right as to the smallest key alone, which costs less."""
    found = _table(fleet, policy, ask).look()
    if not ask.memory or not len(found.keys) or fleet.columns.memory[found.keys.argmin()] >= ask.memory:
        return found
    return look(fleet, policy, ask)


def _table(fleet: Fleet, policy: Policy, ask: PodAsk) -> Table:
    """Memory of the host costs nothing, so asks that differ in it alone share a table, and it is looked at afterwards."""
    slim = ask._replace(memory=0) if ask.memory else ask
    return fleet.kept((policy, slim), lambda: Table(fleet, policy, slim))
