"""Static inflation: pods arrive until 1.3 times all GPUs were asked for, nobody leaves; beside what was published, and the bound."""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from multiprocessing import Pool
from typing import Any, NamedTuple

import numpy as np

from corral.placement.replay.arrivals import inflated
from corral.placement.replay.bounds import Bounds, bounds_of
from corral.placement.replay.playing import filled
from tools.bench.placement.traces import Measured, Trace, published, trace

INFLATE = 1.3
Say = Callable[[str], None]


class Run(NamedTuple):
    """One seed: our percentages and the bound for the same arrivals."""

    at_100: float
    at_end: float
    failed: int
    decisions: float
    bound: Bounds


def measure_filling(
    measured: Measured, workloads: Sequence[str], seeds: Sequence[int], processes: int, say: Say
) -> dict[str, Any]:
    """Measures each workload; gains are points above the published fragmentation gradient descent."""
    rows = []
    with Pool(processes) as pool:
        for workload in workloads:
            say(f"filling {workload}")
            runs = pool.map(partial(_run, measured, workload), seeds)
            rows.append(_row(workload, runs))
    mean = {key: round(float(np.mean([row[key] for row in rows])), 3) for key in ("gain", "gain_at_100", "gap")}
    return {**measured._asdict(), "seeds": list(seeds), "inflate": INFLATE, "rows": rows, "mean": mean}


def _run(measured: Measured, workload: str, seed: int) -> Run:
    here = _trace(workload)
    arrivals = inflated(here.pods, here.capacity, INFLATE, seed)
    run = filled(here.nodes, arrivals, here.chooser(measured), seed, time.process_time)
    failed = sum(run.failed.values())
    return Run(run.at_100 or 0.0, run.at_end, failed, run.decisions / run.seconds, bounds_of(here.nodes, arrivals))


@lru_cache(maxsize=1)
def _trace(workload: str) -> Trace:
    return trace(workload)


def _row(workload: str, runs: Sequence[Run]) -> dict[str, Any]:
    end, at_100 = [run.at_end for run in runs], [run.at_100 for run in runs]
    fgd, fgd_at_100 = published(workload, 130) or 0.0, published(workload, 100) or 0.0
    bound = _mean(run.bound.packable_prefix for run in runs)
    return {
        "workload": workload,
        "allocation": _mean(end),
        "sd": round(float(np.std(end)), 3),
        "per_seed": [round(value, 3) for value in end],
        "published": fgd,
        "gain": round(_mean(end) - fgd, 3),
        "at_100": _mean(at_100),
        "published_at_100": fgd_at_100,
        "gain_at_100": round(_mean(at_100) - fgd_at_100, 3),
        "bound": bound,
        "gap": round(bound - _mean(end), 3),
        "free_choice": _mean(run.bound.free_choice for run in runs),
        "failed_pods": _mean(run.failed for run in runs),
        "decisions_per_second": round(_mean(run.decisions for run in runs)),
    }


def _mean(values: Iterable[float]) -> float:
    return round(float(np.mean(list(values))), 3)
