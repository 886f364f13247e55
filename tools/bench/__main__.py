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
from tools.bench.measures import CLIENTS, FULL, MEASURES, SHORT, Bench, Scale, measure_starts
from tools.bench.processes import file_system
from tools.bench.report import Circumstances, lines, markdown, written
from tools.bench.results import Results
from tools.bench.sides import Embedded, Real, Side
from tools.bench.tls_cost import tls_milliseconds
from tools.bench.wire import Refused

ROOT = Path(__file__).resolve().parent.parent.parent
CACHE = ROOT / ".cache"
_BEGAN = monotonic()


def main() -> int:
    """Runs, prints the table and writes the figures; 0 whenever all could be measured, whatever came out."""
    given = _arguments()
    compileall.compile_dir(ROOT / "src", quiet=1)
    results, load, work = Results(), os.getloadavg()[0], given.work.absolute()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    kind = file_system(work)
    makers, notes = _makers(given.ours_only)
    if kind in ("tmpfs", "ramfs"):
        notes += (f"{kind} is memory: nothing here was durable. Give --work on a disk.",)
    sizes: dict[str, int] = {}
    failure = ""
    try:
        _measure(makers, work, FULL if given.full else SHORT, results, sizes)
    except (Refused, ControlPlaneError, OSError) as error:
        failure = f"INCOMPLETE, stopped by: {error}"
    finally:
        shutil.rmtree(work, ignore_errors=True)
    profile = import_profile()
    notes += ("Imports of ours, traced, ms: " + ", ".join(f"{k} {v:.0f}" for k, v in list(profile.items())[:8]),)
    notes += (failure,) if failure else ()
    mode = "full" if given.full else "short"
    around = Circumstances(mode, kind, load, sizes, tls_milliseconds(), notes)
    written(given.output, MEASURES, results, around, profile)
    given.output.with_suffix(".md").write_text("\n".join(markdown(MEASURES, results)) + "\n")
    print("\n".join(lines(MEASURES, results, around)))
    return 1 if failure else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="more rounds of more requests")
    parser.add_argument("--ours-only", action="store_true", help="leave the real control plane out")
    parser.add_argument("--work", type=Path, default=CACHE / "bench", help="where the state goes; a real disk")
    parser.add_argument(
        "--output", type=Path, default=CACHE / "bench.json", help="where the figures go; a table for the docs beside it"
    )
    return parser.parse_args()


def _makers(ours_only: bool) -> tuple[list[Callable[[Path], Side]], tuple[str, ...]]:
    if ours_only:
        return [Embedded], ("The real control plane was left out on request.",)
    try:
        find_binaries()
    except ControlPlaneError as problem:
        return [Embedded], (f"The real control plane was not measured: {problem.message}. hint: {problem.hint}",)
    return [Embedded, Real], ()


def _measure(
    makers: list[Callable[[Path], Side]], work: Path, scale: Scale, results: Results, sizes: dict[str, int]
) -> None:
    _say("starts")
    measure_starts(makers, work, scale.rounds, results)
    sides = [make(work / make.__name__) for make in makers]
    try:
        with Crew(CLIENTS) as crew:
            for side in sides:
                side.start()
            Bench(sides, crew, results, scale).run(_say, sizes)
    finally:
        for side in sides:
            side.remove()


def _say(step: str) -> None:
    print(f"  {monotonic() - _BEGAN:5.0f} s  {step} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
