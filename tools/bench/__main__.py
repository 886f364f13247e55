"""`python -m tools.bench`: about four minutes; `--full` takes longer and wobbles less."""

import argparse
import compileall
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from corral.testing.control_plane.binaries import find_binaries
from corral.testing.control_plane.errors import ControlPlaneError
from tools.bench.crew import Crew
from tools.bench.imports import import_profile
from tools.bench.measures import CLIENTS, FULL, MEASURES, SHORT, Bench, Scale, measure_starts, stored_bytes
from tools.bench.processes import file_system
from tools.bench.report import Circumstances, lines, written
from tools.bench.results import Results
from tools.bench.sides import Embedded, Real, Side
from tools.bench.tls_cost import tls_milliseconds

ROOT = Path(__file__).resolve().parent.parent.parent
CACHE = ROOT / ".cache"
_BEGAN = monotonic()


def main() -> int:
    """Runs, prints the table and writes the figures; 0 whenever it could measure, whatever came out."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="more rounds of more requests")
    parser.add_argument("--ours-only", action="store_true", help="leave the real control plane out")
    parser.add_argument("--work", type=Path, default=CACHE / "bench", help="where the state goes; a real disk")
    parser.add_argument("--output", type=Path, default=CACHE / "bench.json", help="where the figures go")
    given = parser.parse_args()
    compileall.compile_dir(ROOT / "src", quiet=1)
    shutil.rmtree(given.work, ignore_errors=True)
    makers, notes = _makers(given.ours_only)
    results, load = Results(), os.getloadavg()[0]
    scale = FULL if given.full else SHORT
    tls, work = tls_milliseconds(), given.work.absolute()
    try:
        _say("starts")
        measure_starts(makers, work, scale.rounds, results)
        sizes = _measured([make(work / make.__name__) for make in makers], results, scale)
        kind = file_system(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if kind in ("tmpfs", "ramfs"):
        notes += (f"{kind} is memory: nothing here was durable. Give --work on a disk.",)
    profile = import_profile()
    notes += ("Imports of ours, traced, ms: " + ", ".join(f"{k} {v:.0f}" for k, v in list(profile.items())[:8]),)
    around = Circumstances("full" if given.full else "short", kind, load, sizes, tls, notes)
    written(given.output, MEASURES, results, around, profile)
    print("\n".join(lines(MEASURES, results, around)))
    return 0


def _makers(ours_only: bool) -> tuple[list[Callable[[Path], Side]], tuple[str, ...]]:
    if ours_only:
        return [Embedded], ("The real control plane was left out on request.",)
    try:
        find_binaries()
    except ControlPlaneError as problem:
        return [Embedded], (f"The real control plane was not measured: {problem.message}. hint: {problem.hint}",)
    return [Embedded, Real], ()


def _measured(sides: list[Side], results: Results, scale: Scale) -> dict[str, int]:
    try:
        with Crew(CLIENTS) as crew:
            for side in sides:
                side.start()
            Bench(sides, crew, results, scale).run(_say)
        return {side.name: stored_bytes(side) for side in sides}
    finally:
        for side in sides:
            side.remove()


def _say(step: str) -> None:
    print(f"  {monotonic() - _BEGAN:5.0f} s  {step} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
