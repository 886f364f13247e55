"""The report of a replayed trace: one object of plain values, the same for people and for programs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from corral.placement.replay.bounds import Bounds
from corral.placement.replay.fragments import CAUSES
from corral.placement.replay.playing import Churned, Filled
from corral.placement.replay.sizes import in_order

Json = dict[str, Any]


def spread_of(values: Sequence[float]) -> Json:
    """Returns mean, standard deviation and each of some values."""
    return {
        "mean": round(float(np.mean(values)), 4),
        "sd": round(float(np.std(values)), 4),
        "per_seed": [round(value, 4) for value in values],
    }


def filled_report(runs: Sequence[Filled], capacity: int) -> Json:
    """Returns what became of arrivals that never leave."""
    at_end = spread_of([run.at_end for run in runs])
    reached = [run.at_100 for run in runs if run.at_100 is not None]
    at_100 = spread_of(reached) if len(reached) == len(runs) else None
    length = min(len(run.curve) for run in runs)
    curve = [round(float(np.mean([run.curve[percent] for run in runs])), 3) for percent in range(length)]
    return {
        "allocation_percent": {
            **at_end,
            "at_end": at_end,
            "at_100_percent_arrived": at_100,
            "by_percent_arrived": curve,
        },
        "fragmentation": _fragmentation(runs, capacity),
        "failed_pods": _counts(runs),
    }


def bounds_report(bounds: Sequence[Bounds]) -> Json:
    """Returns what no scheduler can pass, for the arrivals of each seed."""
    prefix = spread_of([bound.packable_prefix for bound in bounds])
    at_100 = [bound.packable_prefix_at_100 for bound in bounds if bound.packable_prefix_at_100 is not None]
    return {
        **prefix,
        "packable_prefix": prefix,
        "packable_prefix_at_100_percent_arrived": spread_of(at_100) if len(at_100) == len(bounds) else None,
        "placed_whole": spread_of([bound.prefix for bound in bounds]),
        "free_choice": spread_of([bound.free_choice for bound in bounds]),
    }


def churned_report(runs: Sequence[Churned], load: float) -> Json:
    """Returns what became of pods that come and go."""
    asked = _sum([run.asked for run in runs])
    rejected = _sum([run.rejected for run in runs])
    return {
        "load": load,
        "rejected_gpu_percent": {
            "all": spread_of([_share(sum(run.rejected.values()), sum(run.asked.values())) for run in runs]),
            "by_gpus_of_a_pod": {
                size: round(_share(rejected.get(size, 0), asked[size]), 4)
                for size in in_order(set(asked))
                if asked[size]
            },
        },
        "rejected_pods": _counts(runs),
        "allocation_percent_over_time": spread_of([run.mean_allocated for run in runs]),
    }


def decisions_per_second(runs: Sequence[Filled | Churned]) -> float:
    """Returns how many decisions one core takes in a second, over all runs."""
    seconds = sum(run.seconds for run in runs)
    return round(sum(run.decisions for run in runs) / seconds, 1) if seconds > 0 else 0.0


def _fragmentation(runs: Sequence[Filled], capacity: int) -> Json:
    def mean(amount: Callable[[Filled], float]) -> float:
        return round(float(np.mean([amount(run) for run in runs])), 4)

    return {
        "percent_of_all_gpus": mean(lambda run: _share(run.fragments.total, capacity)),
        "percent_of_idle_gpus": mean(lambda run: _share(run.fragments.total, run.fragments.idle)),
        "by_cause_percent_of_all_gpus": {
            cause: mean(lambda run, cause=cause: _share(run.fragments.by_cause[cause], capacity))  # type: ignore[misc]
            for cause in CAUSES
        },
    }


def _counts(runs: Sequence[Filled] | Sequence[Churned]) -> Json:
    """Counts of pods by size, means over the seeds."""
    arrived, failed = _sum([run.arrived for run in runs]), _sum([run.failed for run in runs])
    return {
        "all": round(sum(failed.values()) / len(runs), 2),
        "by_gpus_of_a_pod": {
            size: {"failed": round(failed.get(size, 0) / len(runs), 2), "arrived": round(arrived[size] / len(runs), 2)}
            for size in in_order(set(arrived))
        },
    }


def _sum(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {key: sum(one.get(key, 0) for one in counts) for key in {key for one in counts for key in one}}


def _share(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0
