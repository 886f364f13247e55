"""What a potential sees: some nodes, what is left of them, and which of their GPUs could take what is asked."""

from functools import cached_property

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet.columns import Bools, Columns, Ints
from corral.placement.fleet.shares import fitting, needed_milli


class Outlook:
    """Some rows of a fleet before one ask is put there; everything is made when it is first looked at."""

    def __init__(self, columns: Columns, rows: Ints, ask: PodAsk) -> None:
        self.columns = columns
        self.rows = rows
        self.ask = ask

    @cached_property
    def gpu(self) -> Ints:
        """Thousandths left, node by GPU."""
        return self.columns.gpu[self.rows]

    @cached_property
    def size(self) -> Ints:
        """Thousandths that there are at all, node by GPU; 0 where there is no GPU."""
        return self.columns.gpu_size[self.rows]

    @cached_property
    def gpu_memory(self) -> Ints:
        """MiB left, node by GPU."""
        return self.columns.gpu_memory[self.rows]

    @cached_property
    def gpu_memory_size(self) -> Ints:
        """MiB that there are at all, node by GPU."""
        return self.columns.gpu_memory_size[self.rows]

    @cached_property
    def cpu(self) -> Ints:
        """Thousandths of a core left."""
        return self.columns.cpu[self.rows]

    @cached_property
    def memory(self) -> Ints:
        """Bytes left."""
        return self.columns.memory[self.rows]

    @cached_property
    def model(self) -> Ints:
        """The number of the model of the GPUs."""
        return self.columns.model[self.rows]

    @cached_property
    def taken(self) -> Ints:
        """Thousandths that the ask takes of each GPU, node by GPU."""
        return needed_milli(self.ask.gpu, self.gpu_memory_size)

    @cached_property
    def has_room(self) -> Bools:
        """Whether each GPU has room for the ask, node by GPU."""
        return fitting(self.ask.gpu, self.gpu, self.gpu_memory, self.size, self.gpu_memory_size)

    @cached_property
    def is_whole(self) -> bool:
        """Whether whole GPUs are asked: then it does not matter to a node which of its idle ones go."""
        return not self.ask.gpu.is_share

    @cached_property
    def total(self) -> Ints:
        """Thousandths left of all GPUs of each node."""
        return np.asarray(self.gpu.sum(axis=1))
