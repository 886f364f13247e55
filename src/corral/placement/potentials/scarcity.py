"""Scarcity: whoever will take any model of GPU leaves those alone that others insist on.

A model is as scarce as the part of its GPUs that pods which will not take every model would use when the cluster is full. Pods that name
several models are spread over them by size.
"""

import numpy as np

from corral.placement.asks import WHOLE
from corral.placement.fleet.columns import Columns, Floats
from corral.placement.potentials.mix import Mix
from corral.placement.potentials.outlook import Outlook, Potential


def scarcity(mix: Mix) -> Potential:
    """Returns the potential that costs pods with GPUs how scarce a node's model is, in thousandths."""
    return _Scarcity(mix).cost


class _Scarcity:
    """How scarce each model is, counted anew when there is another number of GPUs."""

    def __init__(self, mix: Mix) -> None:
        self._mix = mix
        self._counted_for = (-1, -1)
        self._scarce = np.zeros(mix.admits.shape[1])

    def cost(self, outlook: Outlook) -> Floats:
        """Returns how scarce the model of each row is; nothing for pods without GPUs."""
        if not outlook.ask.gpu.number:
            return np.zeros(len(outlook.rows))
        columns = outlook.columns
        counted_for = (columns.length, int(columns.gpu_size[: columns.length].sum()))
        if counted_for != self._counted_for:
            self._counted_for = counted_for
            self._scarce = WHOLE * self._scarce_models(columns)
        return np.asarray(self._scarce[outlook.model])

    def _scarce_models(self, columns: Columns) -> Floats:
        mix, models = self._mix, self._mix.admits.shape[1]
        gpus = columns.gpu_size[: columns.length].sum(axis=1)
        there = np.bincount(columns.model[: columns.length], weights=gpus, minlength=models)[:models]
        asked = mix.weight * mix.number * mix.milli
        if not asked.sum():
            return np.zeros(models)
        # By class: for each model that it takes, how much it would use of the GPUs there are of that model.
        room = (mix.admits * there).sum(axis=1)
        is_choosy = (mix.admits < (there > 0)).any(axis=1) & (room > 0)
        part = asked / asked.sum() * gpus.sum() / np.where(room > 0, room, 1.0)
        return np.asarray((mix.admits * np.where(is_choosy, part, 0.0)[:, None]).sum(axis=0))
