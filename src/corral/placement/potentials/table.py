"""The keys of one class of pods on every node, kept up to date by the log of changed rows."""

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet.columns import Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.potentials.evaluation import NOWHERE, Evaluation, evaluate
from corral.placement.potentials.policies import Policy


class Table:
    """What each node would cost a class under a policy; only rows that changed since the last look are evaluated again."""

    def __init__(self, fleet: Fleet, policy: Policy, ask: PodAsk) -> None:
        self.ask = ask
        self._fleet = fleet
        self._policy = policy
        self._now = Evaluation(np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._position = 0
        self._shape = -1

    def keys(self) -> Ints:
        """Returns the key of each row; the smallest is the choice."""
        self._renew()
        return self._now.keys

    def device(self, row: int) -> int:
        """Returns the GPU of a row that an ask for one would get; -1 when that is chosen later."""
        return int(self._now.devices[row])

    def _renew(self) -> None:
        changes = self._fleet.changes
        if self._shape == changes.shape and self._position == changes.position:
            return
        changed = changes.since(self._position) if self._shape == changes.shape else None
        if changed is None or len(changed) > self._fleet.columns.length // 2:
            self._now = evaluate(self._fleet, self._policy, self.ask, np.arange(self._fleet.columns.length))
        elif changed:
            rows = np.array(changed, np.int64)
            found = evaluate(self._fleet, self._policy, self.ask, rows)
            self._now.keys[rows] = found.keys
            self._now.devices[rows] = found.devices
        self._shape, self._position = changes.shape, changes.position


def table_of(fleet: Fleet, policy: Policy, ask: PodAsk) -> Table:
    """Returns the table of a class, which the fleet keeps."""
    return fleet.kept((policy, ask), lambda: Table(fleet, policy, ask))


__all__ = ["NOWHERE", "Table", "table_of"]
