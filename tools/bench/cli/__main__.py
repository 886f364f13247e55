"""`python -m tools.bench.cli`: how long people wait for the command line, next to kubectl where there is one.

Exits with 1 when a promise was not kept, after all was measured and written down.
"""

import argparse
import compileall
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from corral.errors import CorralError
from tools.bench.cli.gates import Section, gates_of
from tools.bench.cli.lines import Line, found_peer, list_lines, own_lines, peer_lines
from tools.bench.cli.report import lines, written
from tools.bench.cli.stage import Stage, full_stage, real_stage
from tools.bench.cli.stopwatch import Took, figures, timed
from tools.bench.wire import Refused

ROOT = Path(__file__).resolve().parents[3]
_BEGAN = monotonic()


def main() -> int:
    """Measures, prints the table and writes the figures; 0 when all promises were kept."""
    given = _arguments()
    compileall.compile_dir(ROOT / "src", quiet=1)
    try:
        section = _measured(given)
    except (Refused, CorralError) as error:
        print(f"INCOMPLETE, stopped by: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; nothing was written", file=sys.stderr)
        return 130
    written(given.output, section)
    print("\n".join(["", *lines(section)]))
    return 0 if all(gate.is_met for gate in gates_of(section)) else 1


def _measured(given: argparse.Namespace) -> Section:
    corral, peer, before = Path(sys.executable).parent / "corral", found_peer(), os.getloadavg()[0]
    if peer is None:
        _say("kubectl is not measured: there is none (`make kubernetes` builds it)")
    _say(f"{given.jobs} jobs are written")
    with full_stage(given.work.absolute(), corral, given.jobs) as stage:
        took = _rounds(stage, [*own_lines(corral), *peer_lines(peer)], given.rounds)
    real: dict[str, Any] = {}
    if peer is not None and peer.is_built:
        _say("the same jobs are written to a real API server")
        with real_stage(given.work.absolute(), corral, given.jobs) as other:
            real["real"] = _shown(_rounds(other, list_lines(corral, peer), given.rounds))
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "load_before": round(before, 1),
        "load_after": round(os.getloadavg()[0], 1),
        "rounds": given.rounds,
        "jobs": stage.jobs,
        "pods": stage.pods,
        "kubectl": peer.version if peer else "",
        "lines": _shown(took),
        **real,
    }


def _shown(took: dict[str, list[Took]]) -> dict[str, Any]:
    return {name: figures(runs)._asdict() for name, runs in took.items()}


def _rounds(stage: Stage, measured: list[Line], rounds: int) -> dict[str, list[Took]]:
    """Runs every command line once a round, so that whatever else the machine does meets all; the first does not count."""
    took: dict[str, list[Took]] = {line.name: [] for line in measured}
    for number in range(rounds + 1):
        _say(f"round {number} of {rounds}" if number else "a round to warm up")
        for line in measured:
            words = [word.replace("{n}", str(number)) for word in line.words]
            run = timed(words, {**stage.environment, **line.env})
            if number:
                took[line.name].append(run)
    return took


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.cli", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each command line is run")
    parser.add_argument("--jobs", type=int, default=1000, help="how many jobs there are to list")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "bench-cli", help="where the home goes")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "cli.json", help="the figures")
    return parser.parse_args()


def _say(step: str) -> None:
    print(f"  {monotonic() - _BEGAN:5.0f} s  {step} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
