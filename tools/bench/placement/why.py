"""`python -m tools.bench.placement.why`: how long an explanation takes, with all that would let the gang start.

A cluster of 1,000 nodes of 8 GPUs is filled with 5,000 pods until nothing large fits, by seed. Then each question is asked of a
fleet that has just been built, as `corral why` does. Processor time is of this process; the wall has the load of the machine in it.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from corral.placement.asks import Gang, GpuAsk, Member, PodAsk, Seat
from corral.placement.fleet import Fleet, RuleSet
from corral.placement.offers import GpuOffer, NodeOffer
from corral.placement.potentials import policy
from corral.placement.remedies.explanation import Explanation, explain
from corral.placement.remedies.supplies import Job

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 200.0
"""Milliseconds of processor time, for gangs that fit a cluster of this size many times over."""
_LARGEST = 512
"""Beyond so many pods the engine alone needs a quarter of a second for one plan; such questions are shown and promised nothing."""
_GIB = 1 << 30
_MODELS = ("A100", "A100", "H100", "V100")


class Cluster(NamedTuple):
    """A full cluster."""

    fleet: Fleet
    jobs: tuple[Job, ...]


def cluster(seed: int, nodes: int, pods: int) -> Cluster:
    """Returns a cluster with so many nodes and so many pods; each node keeps fewer than 8 GPUs free."""
    drawn, fleet = Random(seed), Fleet(seed)  # noqa: S311 - a cluster, not a secret
    for index in range(nodes):
        name = f"node-{index}"
        labels = {"kubernetes.io/hostname": name, "rack": f"rack-{index // 20}", "zone": f"zone-{index % 3}"}
        offer = NodeOffer(name, 128_000, 1024 * _GIB, gpus=(GpuOffer(memory=80_000),) * 8, model=drawn.choice(_MODELS))
        fleet.put(offer._replace(labels=tuple(sorted(labels.items()))))
    sizes = [1] * nodes + [drawn.choice((1, 1, 1, 2, 2)) for _ in range(pods - nodes)]
    jobs: list[list[str]] = []
    for number, gpus in enumerate(sizes):
        uid = f"pod-{number}"
        # One pod on every node, then anywhere with room; the jobs are of one to sixteen pods.
        row = number if number < nodes else _with_room(drawn, fleet, gpus)
        share = GpuAsk(1, 500) if gpus == 1 and drawn.random() < 0.2 else GpuAsk(gpus)
        fleet.hold(Seat(uid, f"node-{row}"), PodAsk(drawn.choice((4, 8, 16)) * 1000, 16 * _GIB, share))
        if not jobs or len(jobs[-1]) >= drawn.choice((1, 1, 2, 4, 8, 16)):
            jobs.append([])
        jobs[-1].append(uid)
    return Cluster(fleet, tuple(Job(f"job-{at}", f"job-{at}", tuple(uids)) for at, uids in enumerate(jobs)))


def _with_room(drawn: Random, fleet: Fleet, gpus: int) -> int:
    while True:
        row = drawn.randrange(len(fleet))
        if int((fleet.columns.gpu[row] >= 1000).sum()) >= gpus:
            return row


def _gang(number: int, ask: PodAsk, *others: PodAsk, within: str = "") -> Gang:
    asks = [*others, *[ask] * number]
    members = tuple(Member(f"gang-{index}", one) for index, one in enumerate(asks))
    return Gang("gang", members, len(members), within=within)


def _ask(gpus: int = 8, cpu: int = 32_000, **asked: Any) -> PodAsk:
    return PodAsk(cpu, 64 * _GIB, GpuAsk(gpus))._replace(**asked)


QUESTIONS: Mapping[str, Callable[[Fleet], Gang]] = {
    "1 pod of 8 GPUs": lambda _: _gang(1, _ask()),
    "8 pods of 8 GPUs": lambda _: _gang(8, _ask()),
    "64 pods of 8 GPUs": lambda _: _gang(64, _ask()),
    "512 pods of 8 GPUs": lambda _: _gang(512, _ask()),
    "4,000 pods of 1 GPU": lambda _: _gang(4000, _ask(1, cpu=1000)),
    "a master and 15 larger workers": lambda _: _gang(15, _ask(), _ask(1, cpu=16_000)),
    "8 pods of 8 GPUs within one rack": lambda _: _gang(8, _ask(), within="rack"),
    "4 pods of 8 H100 in one zone by rule": lambda fleet: _gang(
        4, _ask(gpu=GpuAsk(8, models=("H100",)), rules=fleet.rules(RuleSet((("zone", "zone-1"),))))
    ),
    "a label that no node has": lambda fleet: _gang(2, _ask(4, rules=fleet.rules(RuleSet((("disk", "ssd"),))))),
    "one device of one rack": lambda fleet: _gang(
        30, _ask(1, gpu=GpuAsk(1, devices=("0",)), rules=fleet.rules(RuleSet((("rack", "rack-7"),))))
    ),
    "more processors than any node": lambda _: _gang(2, _ask(1, cpu=200_000)),
    "16 GPUs on one node": lambda _: _gang(1, _ask(16)),
}


def measured(seeds: range, nodes: int, pods: int) -> dict[str, Any]:
    """Asks every question of every cluster; each time of a fleet that was just built."""
    rows: dict[str, list[tuple[float, float, Explanation | None]]] = {name: [] for name in QUESTIONS}
    for seed in seeds:
        for name, gang_of in QUESTIONS.items():
            fleet, jobs = cluster(seed, nodes, pods)
            gang = gang_of(fleet)
            wall, processor = time.perf_counter(), time.process_time()
            found = explain(fleet, gang, policy(), jobs)
            rows[name].append(((time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3, found))
    return {name: _figures(times) for name, times in rows.items()}


def _figures(times: list[tuple[float, float, Explanation | None]]) -> dict[str, Any]:
    walls, processors = sorted(one[0] for one in times), sorted(one[1] for one in times)
    found = [one[2] for one in times if one[2] is not None]
    return {
        "processor_ms": round(processors[len(processors) // 2], 1),
        "processor_longest_ms": round(processors[-1], 1),
        "wall_ms": round(walls[len(walls) // 2], 1),
        "wall_longest_ms": round(walls[-1], 1),
        "pods": max(dict(one.needed)["pods"] for one in found) if found else 0,
        "waits": len(found),
        "remedies": round(sum(len(one.remedies) for one in found) / max(len(found), 1), 1),
        "first": found[0].remedies[0].sentence if found and found[0].remedies else "",
    }


def main() -> int:
    """Measures, prints the table and writes the figures; 1 when an explanation took more processor time than was promised."""
    given = _arguments()
    before = os.getloadavg()[0]
    rows = measured(range(given.first_seed, given.first_seed + given.seeds), given.nodes, given.pods)
    section = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "load_before": round(before, 1),
        "nodes": given.nodes,
        "pods": given.pods,
        "seeds": given.seeds,
        "limit_ms": LIMIT,
        "questions": rows,
    }
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(json.dumps(section, indent=2) + "\n", encoding="utf-8")
    print(f"{'question':38} {'processor ms':>13} {'longest':>9} {'wall ms':>9} {'remedies':>9}")
    for name, one in rows.items():
        figures = f"{one['processor_ms']:13} {one['processor_longest_ms']:9} {one['wall_ms']:9} {one['remedies']:9}"
        print(f"{name:38} {figures}")
    promised = [one for one in rows.values() if one["pods"] <= _LARGEST]
    return 0 if all(one["processor_longest_ms"] <= LIMIT for one in promised) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.placement.why", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="how many clusters")
    parser.add_argument("--first-seed", type=int, default=42)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=5000)
    parser.add_argument(
        "--output", type=Path, default=ROOT / "bench" / "results" / "placement-why.json", help="the figures"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
