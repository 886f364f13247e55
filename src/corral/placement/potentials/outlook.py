"""What a potential sees: some nodes, what is left of them, and which of their GPUs could take what is asked."""

from collections.abc import Callable

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet.columns import Bools, Columns, Floats, Ints
from corral.placement.fleet.shares import fitting, needed_milli


class Outlook:
    """Some rows of a fleet before one ask is put there."""

    __slots__ = ("ask", "columns", "cpu", "gpu", "has_room", "is_share", "model", "rows", "taken")

    def __init__(self, columns: Columns, rows: Ints, ask: PodAsk) -> None:
        self.columns = columns
        self.rows = rows
        self.ask = ask
        self.is_share = ask.gpu.is_share
        """Whether it matters which GPU a pod gets: of whole ones any idle ones will do."""
        self.gpu: Ints = columns.gpu[rows]
        """Thousandths left, node by GPU."""
        self.cpu: Ints = columns.cpu[rows]
        """Thousandths of a core left."""
        self.model: Ints = columns.model[rows]
        """The number of the model of the GPUs."""
        self.taken: Ints | int = (
            needed_milli(ask.gpu, columns.gpu_memory_size[rows]) if ask.gpu.memory else ask.gpu.milli
        )
        """Thousandths that the ask takes of each GPU, node by GPU or the same everywhere."""
        self.has_room: Bools = fitting(columns, rows, ask.gpu, self.gpu)
        """Whether each GPU has room for the ask, node by GPU."""

    def narrowed(self, places: Ints) -> "Outlook":
        """Returns the same for some of its rows, given by their places in it."""
        other = Outlook.__new__(Outlook)
        other.columns, other.ask, other.is_share = self.columns, self.ask, self.is_share
        other.rows, other.gpu, other.cpu = self.rows[places], self.gpu[places], self.cpu[places]
        other.model, other.has_room = self.model[places], self.has_room[places]
        other.taken = self.taken if isinstance(self.taken, int) else self.taken[places]
        return other

    @property
    def size(self) -> Ints:
        """Thousandths that there are at all, node by GPU; 0 where there is no GPU."""
        return self.columns.gpu_size[self.rows]

    @property
    def memory(self) -> Ints:
        """Bytes left."""
        return self.columns.memory[self.rows]

    @property
    def total(self) -> Ints:
        """Thousandths left of all GPUs of each node."""
        return np.asarray(self.gpu.sum(axis=1))


Potential = Callable[[Outlook], Floats]
"""From an outlook to a cost for each node, or for each of its GPUs."""
