"""`python -m tools.bench.placement.gangs [vc1|...|together]...`: queues of gangs played through; all by default.

The trace is read from `$CORRAL_TRACES/philly-vc`, else from `../shared/data/philly-vc`. For each virtual cluster, and for all of them
together as queues of one cluster, jobs are played by the product's own admission: strictly one after the other, with backfill but no
reservation, and as shipped, where run times are learnt from history, or declared. Figures go to `bench/results/gangs.json`, plots
beside it.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from multiprocessing import Pool
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from corral.placement.admission.admission import Admission
from corral.placement.admission.cycle import Terms
from corral.placement.admission.fleets import FleetRoom
from corral.placement.admission.queues import QueueTerms
from corral.placement.admission.room import NodeRoom
from corral.placement.fleet import Fleet
from corral.placement.replay.gangs_bounds import bounds_of
from corral.placement.replay.gangs_counted import CountedRoom
from corral.placement.replay.gangs_foresight import Declared, Learnt, Unknown
from corral.placement.replay.gangs_guessed import Guessed, Guesser, quality_of
from corral.placement.replay.gangs_report import report_of
from corral.placement.replay.gangs_run import Foresight, Played, play
from corral.placement.replay.gangs_trace import GPUS_PER_NODE, GangJob, nodes, nodes_for, read_gang_jobs
from tools.bench.placement.gangs_tables import written
from tools.bench.placement.traces import ROOT

TOGETHER = "together"
_BEGAN = monotonic()


class Way(NamedTuple):
    """One way to play a trace."""

    title: str
    passing: bool
    reserves: bool
    stretch: float
    foresight: Callable[[], Foresight]
    estimates: bool = False


SHIPPED = QueueTerms("").stretch
WAYS = {
    "fifo": Way("one after the other", False, False, 0.0, Unknown),
    "greedy": Way("backfill without reservation", True, False, 0.0, Unknown),
    "learnt": Way("Corral, run times learnt", True, True, SHIPPED, Learnt, True),
    "declared": Way("Corral, run times declared", True, True, SHIPPED, Declared, True),
}


class Case(NamedTuple):
    """Jobs and the nodes that they are played on."""

    name: str
    jobs: tuple[GangJob, ...]
    by_queue: tuple[tuple[str, int], ...]
    """How many nodes each queue brings."""

    @property
    def node_count(self) -> int:
        """Returns how many nodes there are."""
        return sum(count for _, count in self.by_queue)


def main() -> int:
    """Plays, prints the tables and writes figures and plots; 0 when all could be played, whatever came out."""
    given = _arguments()
    if not given.trace.is_file():
        print(f"{given.trace} is not there. hint: set CORRAL_TRACES to the folder of philly-vc/", file=sys.stderr)
        return 1
    before = os.getloadavg()[0]
    chosen = [one for one in cases(given.trace, given.load) if one.name in (given.cases or [one.name])]
    tasks = [(case, key, given.room, given.seed) for case in chosen for key in given.ways]
    with Pool(given.processes) as pool:
        done = {(found["case"], found["way"]): found for found in pool.imap_unordered(_played, tasks)}
    section = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "load_before": round(before, 1),
        "offered_load": given.load,
        "room": given.room,
        "seed": given.seed,
        "cases": [_case_section(case, [done[case.name, key] for key in given.ways]) for case in chosen],
    }
    written(given.output, section, done)
    return 0


def cases(trace: Path, load: float) -> Iterator[Case]:
    """Yields each virtual cluster, and all together: each brings the nodes that it would have alone."""
    jobs = list(read_gang_jobs(trace.read_text(encoding="utf-8").splitlines()))
    names = sorted({job.queue for job in jobs})
    counts = []
    for name in names:
        own = tuple(job for job in jobs if job.queue == name)
        counts.append((name, nodes_for(own, load)))
        yield Case(name, own, (counts[-1],))
    yield Case(TOGETHER, tuple(jobs), tuple(counts))


def desk_for(case: Case, way: Way, room: NodeRoom) -> Admission:
    """Returns a desk with the nodes and queues of a case; each queue is guaranteed what it brings, but takes nothing back."""
    desk = Admission(room, Terms(reserves=way.reserves, reclaims="nothing"))
    for offer in nodes(case.node_count):
        desk.put_node(offer)
    for name, count in case.by_queue:
        guarantee = (("gpu", count * GPUS_PER_NODE * 1000),)
        desk.put_queue(QueueTerms(name, guarantee=guarantee, passing=way.passing, stretch=way.stretch))
    return desk


def _played(task: tuple[Case, str, str, int]) -> dict[str, Any]:
    case, key, room_name, seed = task
    way = WAYS[key]
    room: NodeRoom = FleetRoom(Fleet()) if room_name == "fleet" else CountedRoom()
    guesser = Guesser(seed, trusts=key == "declared")
    began = monotonic()
    played = play(case.jobs, desk_for(case, way, room), way.foresight(), [guesser] if way.estimates else [])
    print(f"  {monotonic() - _BEGAN:5.0f} s  {case.name}, {way.title} ...", file=sys.stderr, flush=True)
    return {
        "case": case.name,
        "way": key,
        "seconds": round(monotonic() - began, 1),
        "report": _report(played, case),
        "estimates": _estimates(guesser.guessed),
        "waits": sorted(round(one.waited) for one in played),
        "guesses": [(one.said.earliest, one.said.expected, one.said.latest, one.waited) for one in guesser.guessed],
    }


def _report(played: Sequence[Played], case: Case) -> dict[str, Any]:
    found = report_of(played, case.node_count * GPUS_PER_NODE)
    by_queue = {}
    for name, _ in case.by_queue if case.name == TOGETHER else ():
        own = report_of([one for one in played if one.job.queue == name], case.node_count * GPUS_PER_NODE)
        by_queue[name] = {"mean": own.mean, "p95": own.p95, "longest": own.longest}
    return {**found._asdict(), "unplayed": len(case.jobs) - len(played), "by_queue": by_queue}


def _estimates(guessed: list[Guessed]) -> dict[str, Any]:
    if not guessed:
        return {}
    queues = sorted({one.job.queue for one in guessed})
    by_queue = {name: quality_of([one for one in guessed if one.job.queue == name])._asdict() for name in queues}
    return {**quality_of(guessed)._asdict(), "by_queue": by_queue}


def _case_section(case: Case, done: list[dict[str, Any]]) -> dict[str, Any]:
    bound = bounds_of(case.jobs, case.node_count)
    gpus = case.node_count * GPUS_PER_NODE
    return {
        "case": case.name,
        "jobs": len(case.jobs),
        "nodes": case.node_count,
        "bound": {
            **bound._asdict(),
            "utilisation": sum(job.work for job in case.jobs) / (gpus * bound.makespan),
        },
        "ways": {
            one["way"]: {
                "title": WAYS[one["way"]].title,
                "seconds": one["seconds"],
                **one["report"],
                "estimates": one["estimates"],
            }
            for one in done
        },
    }


def _arguments() -> argparse.Namespace:
    traces = Path(os.environ["CORRAL_TRACES"]) if "CORRAL_TRACES" in os.environ else ROOT.parent / "shared" / "data"
    parser = argparse.ArgumentParser(prog="python -m tools.bench.placement.gangs", description=__doc__)
    add = parser.add_argument
    add("cases", nargs="*", metavar="vc1|vc2|vc3|vc4|together")
    add("--trace", type=Path, default=traces / "philly-vc" / "philly_vc_jobs.csv")
    add("--load", type=float, default=0.8, help="work over GPUs and time: how many nodes there are follows from it")
    add("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    add("--room", choices=("fleet", "counted"), default="counted", help="who chooses places")
    add("--seed", type=int, default=0, help="of the draws that estimates rest on")
    add("--processes", type=int, default=1, help="at once")
    add("--output", type=Path, default=ROOT / "bench" / "results" / "gangs.json", help="the figures")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
