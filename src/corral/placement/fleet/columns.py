"""The arrays of a fleet: one row for each node, one column for each GPU, growing in place.

Rows of nodes that left are blank (closed, nothing free) until the next node takes them, so that a row number keeps its meaning as
long as its node is there.
"""

import numpy as np
import numpy.typing as npt

from corral.placement.asks import WHOLE
from corral.placement.fleet.wiring import Matrix, matrix_of
from corral.placement.offers import NodeOffer

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

HUGE = 1 << 52
"""More than anything has of anything. Amounts above count as this much, so that no sum of them leaves the range of the arrays."""
_ROOM = 16
_GRIDS = ("gpu", "gpu_size", "gpu_memory", "gpu_memory_size")
_COLUMNS = ("cpu", "memory", "pods", "cpu_size", "memory_size", "pods_size", "model", "make", "wiring")

Crowd = tuple[int, str]
"""The number of a set of pods and "", or a level at which pods must be apart from that set."""


class Columns:
    """What each node has and what is left of it, in arrays of equal length."""

    def __init__(self) -> None:
        self.length = 0
        """Rows in use; what lies behind them is room to grow."""
        self.breadth = 0
        """The most GPUs that a node has."""
        self.gpu = np.zeros((_ROOM, 0), np.int64)
        """Thousandths left of each GPU; 0 where a node has none."""
        self.gpu_size = np.zeros((_ROOM, 0), np.int64)
        """Thousandths that may be given away of each GPU."""
        self.gpu_memory = np.zeros((_ROOM, 0), np.int64)
        """MiB left of each GPU."""
        self.gpu_memory_size = np.zeros((_ROOM, 0), np.int64)
        self.cpu = np.zeros(_ROOM, np.int64)
        self.memory = np.zeros(_ROOM, np.int64)
        self.pods = np.zeros(_ROOM, np.int64)
        self.cpu_size = np.zeros(_ROOM, np.int64)
        self.memory_size = np.zeros(_ROOM, np.int64)
        self.pods_size = np.zeros(_ROOM, np.int64)
        self.model = np.zeros(_ROOM, np.int64)
        """The number of the model; 0 when it has no name."""
        self.make = np.zeros(_ROOM, np.int64)
        self.makes: list[tuple[int, str]] = []
        """Makes of nodes by number: how many GPUs, and of which model."""
        self.wiring = np.zeros(_ROOM, np.int64)
        """Which of the matrices tells how well pairs of its GPUs are connected."""
        self.matrices: list[Matrix] = [()]
        """The first is that of nodes where nothing is known that tells pairs apart."""
        self.is_open = np.zeros(_ROOM, np.bool_)
        self.memory_shares = 0
        """How many holds are shares of the memory of GPUs."""
        self.others: dict[str, Ints] = {}
        """What is left of other resources, by name."""
        self.others_size: dict[str, Ints] = {}
        self.crowds: dict[Crowd, Ints] = {}
        """How many pods of a crowd each row holds; with a level, how many that must not share a domain of it with one."""

    def reserve(self, rows: int, breadth: int) -> None:
        """Makes room for so many rows and GPUs."""
        room = len(self.cpu)
        if breadth > self.breadth:
            for name in _GRIDS:
                setattr(self, name, np.pad(getattr(self, name), ((0, 0), (0, breadth - self.breadth))))
            self.breadth = breadth
        if rows > room:
            more = max(rows, 2 * room) - room
            for name in _GRIDS:
                setattr(self, name, np.pad(getattr(self, name), ((0, more), (0, 0))))
            for name in (*_COLUMNS, "is_open"):
                setattr(self, name, np.pad(getattr(self, name), (0, more)))
            self.others = {name: np.pad(column, (0, more)) for name, column in self.others.items()}
            self.others_size = {name: np.pad(column, (0, more)) for name, column in self.others_size.items()}
            self.crowds = {crowd: np.pad(column, (0, more)) for crowd, column in self.crowds.items()}
        self.length = max(self.length, rows)

    def fill(self, row: int, offer: NodeOffer, model: int) -> None:
        """Writes an empty node into a row."""
        self.blank(row)
        for index, gpu in enumerate(offer.gpus):
            self.gpu[row, index] = self.gpu_size[row, index] = min(max(gpu.milli, 0), WHOLE)
            self.gpu_memory[row, index] = self.gpu_memory_size[row, index] = _amount(gpu.memory)
        self.cpu[row] = self.cpu_size[row] = _amount(offer.cpu)
        self.memory[row] = self.memory_size[row] = _amount(offer.memory)
        self.pods[row] = self.pods_size[row] = _amount(offer.pods)
        self.model[row] = model
        make = (len(offer.gpus), offer.model)
        if make not in self.makes:
            self.makes.append(make)
        self.make[row] = self.makes.index(make)
        self.wiring[row] = self._matrix(offer)
        self.is_open[row] = not offer.is_closed
        for name, amount in offer.others:
            self.resource(name)[row] = self.others_size[name][row] = _amount(amount)

    def _matrix(self, offer: NodeOffer) -> int:
        matrix = matrix_of(offer)
        if matrix not in self.matrices:
            self.matrices.append(matrix)
        return self.matrices.index(matrix)

    def resource(self, name: str) -> Ints:
        """Returns what is left of another resource; the first question makes room for it."""
        if name not in self.others:
            self.others[name] = np.zeros(len(self.cpu), np.int64)
            self.others_size[name] = np.zeros(len(self.cpu), np.int64)
        return self.others[name]

    def forget_resources(self) -> None:
        """Forgets other resources that no node has and nobody holds."""
        idle = [name for name, left in self.others.items() if not left.any() and not self.others_size[name].any()]
        for name in idle:
            del self.others[name], self.others_size[name]

    def crowd(self, crowd: Crowd) -> Ints:
        """Returns how many of a crowd each row holds; the first question makes room for it."""
        if crowd not in self.crowds:
            self.crowds[crowd] = np.zeros(len(self.cpu), np.int64)
        return self.crowds[crowd]

    def blank(self, row: int) -> None:
        """Leaves nothing in a row."""
        for name in (*_GRIDS, *_COLUMNS):
            getattr(self, name)[row] = 0
        self.is_open[row] = False
        for column in (*self.others.values(), *self.others_size.values(), *self.crowds.values()):
            column[row] = 0


def _amount(offered: int) -> int:
    return min(max(offered, 0), HUGE)
