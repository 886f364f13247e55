"""Times command lines: wall time and processor time of one process, from its start to its end."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import NamedTuple

from tools.bench.wire import Refused


class Took(NamedTuple):
    """What one run cost, in milliseconds."""

    wall: float
    cpu: float


class Figures(NamedTuple):
    """What the runs of one command line cost, in milliseconds."""

    median: float
    best: float
    p95: float
    cpu: float
    runs: int


def timed(words: Sequence[str], environment: Mapping[str, str]) -> Took:
    """Runs a command line with its answer thrown away; one that fails ends the measure."""
    with tempfile.TemporaryFile() as told, open(os.devnull, "r+b") as nothing:
        moves = [
            (os.POSIX_SPAWN_DUP2, nothing.fileno(), 0),
            (os.POSIX_SPAWN_DUP2, nothing.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, told.fileno(), 2),
        ]
        begin = perf_counter()
        child = os.posix_spawn(words[0], list(words), dict(environment), file_actions=moves)
        _, status, used = os.wait4(child, 0)
        wall = perf_counter() - begin
        if os.waitstatus_to_exitcode(status):
            told.seek(0)
            raise Refused(f"{' '.join(words[:4])}: {told.read().decode(errors='replace').strip()}")
    return Took(wall * 1000, (used.ru_utime + used.ru_stime) * 1000)


def figures(runs: Sequence[Took]) -> Figures:
    """Returns what several runs say together."""
    walls = sorted(run.wall for run in runs)
    late = walls[min(len(walls) - 1, round(0.95 * (len(walls) - 1)))]
    return Figures(median(walls), walls[0], late, median(run.cpu for run in runs), len(runs))
