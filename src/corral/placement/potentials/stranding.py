"""Stranding: how much of a node's GPUs will in the end stand idle because its processors run out, or the other way round.

A dynamic program over what is left of a node, GPUs together and processors: pods of the mix come, each goes on, until none fits any more,
and what is left of GPUs then is stranded. Which pod comes next is drawn by how often its class comes and by how little it strands, for a
scheduler steers pods to where they do least harm.
"""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from corral.placement.fleet.columns import Columns, Floats, Ints
from corral.placement.potentials.mix import Mix
from corral.placement.potentials.outlook import Outlook, Potential

_GPU_STEP = 50
_CPU_STEP = 1000
_MOST_CORES = 512
"""So many steps of processors are told apart; a node with more, or one whose processors are shared without count, never lacks any."""
_INDIFFERENCE = 200.0
"""Thousandths of a GPU: a class that strands so much more than another goes to such a node e times less often than it comes."""

Pods = Mapping[tuple[int, int], float]
"""How often pods come that take so many steps of GPUs and of processors."""


def stranding(mix: Mix) -> Potential:
    """Returns the potential that costs a place by how many more thousandths of GPUs it strands, on each GPU for shares."""
    return _Stranding(mix.small()).cost


class _Stranding:
    """The tables of a mix: one for each set of classes that some model admits, as large as the nodes that were seen."""

    def __init__(self, mix: Mix) -> None:
        sets: list[Pods] = []
        self._which: list[int] = []
        for model in range(mix.admits.shape[1]):
            pods = _pods_of(mix, model)
            if pods not in sets:
                sets.append(pods)
            self._which.append(sets.index(pods))
        self._sets = sets
        self._tables = np.zeros((len(sets), 1, 1))

    def cost(self, outlook: Outlook) -> Floats:
        """Returns how much more is stranded afterwards."""
        gpu, cpu = np.maximum(outlook.gpu, 0).sum(axis=1), np.maximum(outlook.cpu, 0)
        if not len(outlook.rows):
            return np.zeros(0)
        self._cover(outlook.columns, int(gpu.max()), int(cpu.max()))
        table = np.array(self._which)[outlook.model]
        before = self._stranded(table, gpu, cpu)
        after = np.maximum(cpu - outlook.ask.cpu, 0)
        if not outlook.is_share:
            return np.asarray(self._stranded(table, gpu - outlook.ask.gpu.total, after) - before)
        left = gpu[:, None] - outlook.taken
        return np.asarray(self._stranded(table[:, None], left, after[:, None]) - before[:, None])

    def _stranded(self, table: Ints, gpu: Ints, cpu: Ints) -> Floats:
        cores = np.minimum(cpu // _CPU_STEP, self._tables.shape[2] - 1)
        return np.asarray(self._tables[table, np.maximum(gpu, 0) // _GPU_STEP, cores])

    def _cover(self, columns: Columns, gpu: int, cpu: int) -> None:
        cores = min(cpu // _CPU_STEP, _MOST_CORES)
        if gpu // _GPU_STEP < self._tables.shape[1] and cores < self._tables.shape[2]:
            return
        gpus = max(gpu, int(columns.gpu_size.sum(axis=1).max())) // _GPU_STEP
        cores = min(max(cores, int(columns.cpu_size.max()) // _CPU_STEP), _MOST_CORES)
        self._tables = np.array([_table(pods, gpus, cores) for pods in self._sets])


def _pods_of(mix: Mix, model: int) -> Pods:
    pods: defaultdict[tuple[int, int], float] = defaultdict(float)
    for place, weight in enumerate(mix.weight):
        amount = int(mix.number[place] * mix.milli[place])
        if amount and mix.admits[place, model]:
            pods[max(1, round(amount / _GPU_STEP)), -(-int(mix.cpu[place]) // _CPU_STEP)] += float(weight)
    return pods


def _table(pods: Pods, gpus: int, cores: int) -> Floats:
    """Returns for so many steps of GPUs and processors left the thousandths that will be stranded."""
    stranded = np.zeros((gpus + 1, cores + 1))
    steps = np.array(list(pods), np.int64).reshape(-1, 2)
    weights = np.array(list(pods.values()))
    columns = np.arange(cores + 1)
    for gpu in range(1, gpus + 1):
        may = steps[:, 0] <= gpu
        taken, left = steps[may], columns - steps[may, 1][:, None]
        fits = left >= 0
        then = np.where(fits, stranded[gpu - taken[:, 0][:, None], np.maximum(left, 0)], np.inf)
        least = then.min(axis=0, initial=np.inf)
        is_full = ~np.isfinite(least)
        more = np.where(fits, then - np.where(is_full, 0.0, least), 0.0)
        chance = np.where(fits, weights[may][:, None] * np.exp(-more / _INDIFFERENCE), 0.0)
        total = np.where(is_full, 1.0, chance.sum(axis=0))
        mean = (chance * more).sum(axis=0) / total + np.where(is_full, 0.0, least)
        stranded[gpu] = np.where(is_full, gpu * _GPU_STEP, mean)
    return stranded
