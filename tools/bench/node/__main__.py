"""`python -m tools.bench.node [overhead|start|crowd|rest|servers]...`: what pods as processes cost; all by default.

Exits with 1 when a promise was not kept, after all asked for was measured and written down.
"""

import argparse
import compileall
import os
import shutil
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from types import FrameType

from corral.errors import CorralError
from tools.bench.node.corral_up import CorralUp
from tools.bench.node.crowd import measure_crowd
from tools.bench.node.gates import Section, gates_of
from tools.bench.node.overhead import TRAININGS, Extent, measure_overhead
from tools.bench.node.report import lines, written
from tools.bench.node.rest import measure_rest
from tools.bench.node.servers import measure_servers
from tools.bench.node.start import measure_start
from tools.bench.wire import Refused

ROOT = Path(__file__).resolve().parents[3]
MEASURES = ("rest", "start", "crowd", "overhead", "servers")
"""In the order in which they are measured: the long ones last."""
_BEGAN = monotonic()


def main() -> int:
    """Measures, prints the tables and writes the figures; 0 when all promises were kept."""
    given = _arguments()
    signal.signal(signal.SIGTERM, _interrupt)
    compileall.compile_dir(ROOT / "src", quiet=1)
    work = given.work.absolute()
    missed = 0
    try:
        for name in [one for one in MEASURES if one in (given.measures or MEASURES)]:
            section = _measured(name, given, work)
            written(given.output, {name: section})
            print("\n".join(["", *lines(name, section), ""]), flush=True)
            for gate in gates_of(name, section):
                print(f"- {gate}", flush=True)
                missed += not gate.is_met
    except (Refused, CorralError) as error:
        print(f"INCOMPLETE, stopped by: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; what was measured before is kept", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if missed else 0


def _measured(name: str, given: argparse.Namespace, work: Path) -> Section:
    before = os.getloadavg()[0]
    with CorralUp(work) as up:
        section = _section(name, given, up, work)
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    return {"date": date, "load_before": round(before, 1), "load_after": round(os.getloadavg()[0], 1), **section}


def _section(name: str, given: argparse.Namespace, up: CorralUp, work: Path) -> Section:
    match name:
        case "overhead":
            extent = Extent(given.pairs, tuple(given.with_), given.stretch)
            return measure_overhead(up, work, extent, _say)
        case "start":
            return measure_start(up, work, given.pairs, _say)
        case "crowd":
            return measure_crowd(up, given.pods, _say)
        case "rest":
            return measure_rest(up, given.rest_seconds, _say)
        case _:
            return measure_servers(up, given.rounds, given.steps, _say)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.node", description=__doc__)
    parser.add_argument("measures", nargs="*", choices=[*MEASURES, []], metavar="|".join(MEASURES))
    parser.add_argument("--pairs", type=int, default=20, help="of overhead and start: runs through Corral and by hand")
    parser.add_argument("--stretch", type=float, default=1.0, help="of overhead: how much longer runs are than usual")
    known = [one.framework for one in TRAININGS]
    parser.add_argument("--with", dest="with_", nargs="+", choices=known, default=known, help="of overhead: frameworks")
    parser.add_argument("--pods", type=int, default=200, help="of the crowd")
    parser.add_argument("--rest-seconds", type=float, default=60.0, help="how long nothing happens, each time")
    parser.add_argument("--rounds", type=int, default=3, help="of the parameter servers")
    parser.add_argument("--steps", type=int, default=3000, help="of the parameter servers: batches of all workers")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "bench-node", help="where the homes go")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "node.json", help="the figures")
    return parser.parse_args()


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(step: str) -> None:
    print(f"  {monotonic() - _BEGAN:5.0f} s  {step} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
