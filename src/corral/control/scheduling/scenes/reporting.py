"""The report about a snapshot: one object of plain values, the same for people and for programs. Pure."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any

from corral.control.scheduling.scenes.changes import Change
from corral.control.scheduling.scenes.snapshot import Snapshot
from corral.control.scheduling.scenes.whatif import (
    Held,
    Outcome,
    WaitingGang,
    outcome_of,
    played,
    rule_for,
    waits_by_size,
)
from corral.placement.asks import WHOLE
from corral.placement.replay.forward import Forward

Json = dict[str, Any]


Each = Callable[[Callable[[int], Any], Sequence[int]], list[Any]]
"""Runs something with each seed, one after the other or side by side."""


def one_by_one(run: Callable[[int], Any], seeds: Sequence[int]) -> list[Any]:
    """Runs something with each seed."""
    return [run(seed) for seed in seeds]


def report_of(
    snapshot: Snapshot, changes: Sequence[Change], policy: str, seeds: Sequence[int], each: Each = one_by_one
) -> Json:
    """Returns what a scheduler would make of a snapshot with some changes; the same arguments give the same report."""
    for change in changes:
        snapshot = change.made(snapshot)
    rule = rule_for(policy, snapshot)
    found = outcome_of(snapshot, rule)
    runs = each(partial(played, snapshot, rule), seeds) if found.waiting else []
    there = found.after.there
    return {
        "policy": policy,
        "changes": [one.words for one in changes],
        "taken": snapshot.taken,
        "seeds": list(seeds),
        "nodes": len(snapshot.nodes),
        "gpus": there / WHOLE,
        "pods": len(snapshot.pods),
        "allocation_percent": {"before": _allocated(found.before), "now": _allocated(found.after)},
        "bound_percent": _percent(found.most, there),
        "gap_points": round(_percent(found.most, there) - _allocated(found.after), 4),
        "fragmentation": _fragmentation(found),
        "starts_now": _starts(found),
        "gives_way": [{"job": one.job, "why": one.why, "for": one.beneficiary} for one in found.moved],
        "waiting_by_code": dict(sorted(Counter(one.code for one in found.waiting).items())),
        "waiting": [_waiting(one, runs) for one in found.waiting],
        "wait_seconds_by_gpus": _waits(found, runs),
        "unreadable_queues": list(found.unreadable),
    }


def _allocated(held: Held) -> float:
    return _percent(held.given, held.there)


def _percent(part: float, whole: float) -> float:
    return round(100.0 * part / whole, 4) if whole else 0.0


def _fragmentation(found: Outcome) -> Json:
    fragments, there = found.fragments, found.after.there
    return {
        "percent_of_all_gpus": _percent(fragments.total, there),
        "percent_of_idle_gpus": _percent(fragments.total, fragments.idle),
        "by_cause_percent_of_all_gpus": {cause: _percent(lost, there) for cause, lost in fragments.by_cause.items()},
    }


def _starts(found: Outcome) -> list[Json]:
    jobs: dict[str, list[Json]] = {}
    for job, one in found.started:
        seat = {"pod": one.key.name, "node": one.node, "gpus": list(one.devices)}
        jobs.setdefault(f"{job}", []).append(seat)
    return [{"job": job, "pods": seats} for job, seats in sorted(jobs.items())]


def _waiting(one: WaitingGang, runs: Sequence[Forward | str]) -> Json:
    found: Json = {
        "job": one.job,
        "gpus": one.gpus / WHOLE,
        "pods": one.pods,
        "queue": one.turn.queue if one.turn is not None else "",
        "place": one.turn.place if one.turn is not None else None,
        "waited_seconds": round(one.waited),
        "code": one.code,
        "sentence": one.sentence,
    }
    starts = [run.starts.get(one.uid, inf) for run in runs if isinstance(run, Forward)]
    if starts:
        found["starts_in_seconds"] = _spread(starts)
    return found


def _waits(found: Outcome, runs: Sequence[Forward | str]) -> Json:
    """Returns how long gangs wait from now on, by their GPUs; or why nobody knows."""
    why = next((one for one in runs if isinstance(one, str)), "")
    if why:
        return {"unknown": why}
    forward = [one for one in runs if isinstance(one, Forward)]
    return {size: _spread(waits) for size, waits in waits_by_size(found.waiting, forward).items()}


def _spread(waits: Sequence[float]) -> Json:
    """Returns middle, mean and tails of some waits; whoever never starts is counted apart."""
    some = sorted(one for one in waits if one < inf)
    told: Json = {"never_percent": _percent(len(waits) - len(some), len(waits))}
    if some:
        told |= {
            "mean": round(sum(some) / len(some), 1),
            "median": round(_part(some, 0.5), 1),
            "half": [round(_part(some, 0.25), 1), round(_part(some, 0.75), 1)],
            "eight_of_ten": [round(_part(some, 0.1), 1), round(_part(some, 0.9), 1)],
            "p95": round(_part(some, 0.95), 1),
        }
    return told


def _part(values: Sequence[float], part: float) -> float:
    return values[min(int(part * len(values)), len(values) - 1)]
