"""Pods that come and go, at several loads: what is rejected, by how many GPUs a pod asks for, beside another policy.

Every policy meets the same arrivals with the same lifetimes, so differences are taken seed by seed; intervals are drawn over seeds.
"""

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from multiprocessing import Pool
from random import Random
from typing import Any

from corral.placement.replay.arrivals import coming_and_going
from corral.placement.replay.playing import MEASURED, WARM_UP, Churned, churned
from corral.placement.replay.sizes import in_order
from tools.bench.node.intervals import Interval, percentile
from tools.bench.placement.filling import Say
from tools.bench.placement.traces import Measured, Trace, trace

_DRAWS = 2_000
_SEED = 5


def measure_churning(
    policies: tuple[Measured, Measured],
    workload: str,
    loads: Sequence[float],
    seeds: Sequence[int],
    processes: int,
    say: Say,
) -> dict[str, Any]:
    """Measures two policies at each load."""
    rows = []
    with Pool(processes) as pool:
        for load in loads:
            say(f"churning at {load:g}")
            tasks = [(policy, seed) for seed in seeds for policy in policies]
            runs = pool.map(partial(_run, workload, load), tasks, chunksize=1)
            rows.append(_row(load, runs[0::2], runs[1::2]))
    return {
        **policies[0]._asdict(),
        "beside": policies[1].policy,
        "workload": workload,
        "seeds": list(seeds),
        "warm_up": WARM_UP,
        "measured": MEASURED,
        "rows": rows,
    }


def _run(workload: str, load: float, task: tuple[Measured, int]) -> Churned:
    measured, seed = task
    here = _trace(workload)
    stays = coming_and_going(here.pods, here.capacity, load, WARM_UP + MEASURED, seed)
    return churned(here.nodes, stays, here.chooser(measured), seed, time.process_time)


@lru_cache(maxsize=1)
def _trace(workload: str) -> Trace:
    return trace(workload)


def _row(load: float, ours: Sequence[Churned], theirs: Sequence[Churned]) -> dict[str, Any]:
    sizes = in_order({size for run in ours for size, amount in run.asked.items() if amount})
    pairs = list(zip(ours, theirs, strict=True))
    return {
        "load": load,
        "rejected_gpu_percent": {
            "ours": _pooled(ours),
            "theirs": _pooled(theirs),
            "difference": _drawn(pairs)._asdict(),
        },
        "by_gpus_of_a_pod": {
            size: {
                "ours": _pooled(ours, size),
                "theirs": _pooled(theirs, size),
                "difference": _drawn(pairs, size)._asdict(),
                "pods": sum(run.arrived.get(size, 0) for run in ours),
            }
            for size in sizes
        },
        "allocation_percent": {"ours": _mean_allocated(ours), "theirs": _mean_allocated(theirs)},
        "decisions_per_second": round(sum(run.decisions for run in ours) / sum(run.seconds for run in ours)),
    }


def _pooled(runs: Sequence[Churned], size: str = "") -> float:
    """Percent of what all seeds together asked for that was rejected."""
    rejected = sum(_amount(run.rejected, size) for run in runs)
    return round(100 * rejected / (sum(_amount(run.asked, size) for run in runs) or 1), 3)


def _drawn(pairs: Sequence[tuple[Churned, Churned]], size: str = "") -> Interval:
    """Ours less theirs with 95 % confidence: seeds are drawn again with both their runs."""
    chance = Random(_SEED)  # noqa: S311 - a repeatable sequence, not a secret

    def difference(chosen: Sequence[tuple[Churned, Churned]]) -> float:
        return _pooled([one for one, _ in chosen], size) - _pooled([other for _, other in chosen], size)

    drawn = sorted(difference(chance.choices(pairs, k=len(pairs))) for _ in range(_DRAWS))
    low, high = percentile(drawn, 2.5), percentile(drawn, 97.5)
    return Interval(round(difference(pairs), 3), round(low, 3), round(high, 3))


def _amount(amounts: Mapping[str, int], size: str) -> int:
    return amounts.get(size, 0) if size else sum(amounts.values())


def _mean_allocated(runs: Sequence[Churned]) -> float:
    return round(sum(run.mean_allocated for run in runs) / len(runs), 3)
