"""What `corral simulate` needs besides placement itself: files, processes, and a clock."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from corral.errors import PermanentError

if TYPE_CHECKING:
    from corral.placement.offers import NodeOffer
    from corral.placement.potentials.policies import Policy
    from corral.placement.replay.bounds import Bounds
    from corral.placement.replay.playing import Chooser, Churned, Filled
    from corral.placement.replay.traces import TracePod


class TraceFlags(NamedTuple):
    """What to simulate, as the command line says it."""

    nodes: Path
    pods: Path
    inflate: float
    seeds: tuple[int, ...]
    policy: str
    churn: float | None
    bound: bool
    plot: Path | None = None
    mix: str = "known"
    """`known`, or `observed` from the pods that came."""


class _Trace(NamedTuple):
    nodes: "tuple[NodeOffer, ...]"
    pods: "tuple[TracePod, ...]"
    policy: "Policy"
    """It knows the mix, or nothing yet."""
    capacity: int
    learns: bool

    @property
    def chooser(self) -> "Chooser":
        """Returns the policy as each run begins with it."""
        from corral.placement.potentials.observed import LearningPolicy

        return LearningPolicy(self.policy) if self.learns else self.policy


def simulate_trace(flags: TraceFlags) -> dict[str, Any]:
    """Replays a trace with each seed and returns the report; seeds share the processors of this machine."""
    from corral.adapters.pictures.traces import draw_trace, refuse_undrawable
    from corral.placement.replay.report import bounds_report, churned_report, decisions_per_second, filled_report

    trace = _read(flags)
    if flags.plot is not None:
        refuse_undrawable(flags.plot)
    runs = each_seed(partial(_fill, trace, flags.inflate), flags.seeds)
    report: dict[str, Any] = {
        "policy": flags.policy,
        "mix": flags.mix,
        "seeds": list(flags.seeds),
        "inflate": flags.inflate,
        "nodes": len(trace.nodes),
        "gpus": trace.capacity / 1000,
        "pods": len(trace.pods),
        **filled_report(runs, trace.capacity),
    }
    if flags.bound:
        report["bound_percent"] = bounds_report(each_seed(partial(_bound, trace, flags.inflate), flags.seeds))
    stays: Sequence[Churned] = ()
    if flags.churn is not None:
        stays = each_seed(partial(_churn, trace, flags.churn), flags.seeds)
        report["churn"] = churned_report(stays, flags.churn)
        report["rejected_gpu_percent"] = report["churn"]["rejected_gpu_percent"]
    report["decisions_per_second"] = decisions_per_second([*runs, *stays])
    if flags.plot is not None:
        draw_trace(report, flags.plot)
    return report


def _read(flags: TraceFlags) -> _Trace:
    from corral.placement.potentials.policies import policy
    from corral.placement.potentials.statistics import statistics_of
    from corral.placement.replay.playing import capacity_of
    from corral.placement.replay.traces import read_nodes, read_pods

    nodes = read_nodes(str(flags.nodes), _lines(flags.nodes))
    pods = read_pods(str(flags.pods), _lines(flags.pods))
    capacity = capacity_of(nodes)
    if not capacity:
        raise PermanentError("bad-trace", f"{flags.nodes}: no node has a GPU", hint="column gpu says how many each has")
    if not any(pod.ask.gpu.number for pod in pods):
        hint = "column num_gpu says how many each asks for"
        raise PermanentError("bad-trace", f"{flags.pods}: no pod asks for a GPU", hint=hint)
    learns = flags.mix == "observed"
    rule = policy(flags.policy) if learns else policy(flags.policy, statistics_of(pod.ask for pod in pods))
    return _Trace(nodes, pods, rule, capacity, learns)


def _lines(path: Path) -> Iterator[str]:
    try:
        return iter(path.read_text(encoding="utf-8-sig").splitlines())
    except OSError as error:
        raise PermanentError(
            "unreadable-file", f"{path}: {error.strerror}", hint="give the path of a CSV file"
        ) from error
    except UnicodeDecodeError as error:
        raise PermanentError(
            "bad-trace", f"{path}: it is not UTF-8 text", hint="give the path of a CSV file"
        ) from error


def _fill(trace: _Trace, inflate: float, seed: int) -> "Filled":
    from corral.placement.replay.arrivals import inflated
    from corral.placement.replay.playing import filled

    arrivals = inflated(trace.pods, trace.capacity, inflate, seed)
    return filled(trace.nodes, arrivals, trace.chooser, seed, time.process_time)


def _bound(trace: _Trace, inflate: float, seed: int) -> "Bounds":
    from corral.placement.replay.arrivals import inflated
    from corral.placement.replay.bounds import bounds_of

    return bounds_of(trace.nodes, inflated(trace.pods, trace.capacity, inflate, seed))


def _churn(trace: _Trace, load: float, seed: int) -> "Churned":
    from corral.placement.replay.arrivals import coming_and_going
    from corral.placement.replay.playing import MEASURED, WARM_UP, churned

    stays = coming_and_going(trace.pods, trace.capacity, load, WARM_UP + MEASURED, seed)
    return churned(trace.nodes, stays, trace.chooser, seed, time.process_time)


def each_seed(run: Callable[[int], Any], seeds: Sequence[int]) -> list[Any]:
    """Runs each seed, in as many processes as there are processors for it."""
    workers = min(len(seeds), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    if workers < 2:
        return [run(seed) for seed in seeds]
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(run, seeds))
