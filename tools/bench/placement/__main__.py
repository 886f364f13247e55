"""`python -m tools.bench.placement [filling|churning|speed]...`: what the engine makes of published traces; all by default.

`--mix observed`, as shipped, learns the mix from the pods that come; `--mix known` is told that of the whole trace beforehand. What it is
compared with is always told. The traces are read from `$CORRAL_TRACES`, else from `../shared/data`.
"""

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from tools.bench.placement.churning import measure_churning
from tools.bench.placement.filling import measure_filling
from tools.bench.placement.plots import drawn
from tools.bench.placement.report import lines, written
from tools.bench.placement.speed import GANGS, NODES, measure_speed
from tools.bench.placement.traces import MIXES, ROOT, WORKLOADS, Measured, folder

MEASURES = ("filling", "churning", "speed")
_BEGAN = monotonic()


def main() -> int:
    """Measures, prints the tables and writes the figures; 0 when all could be measured, whatever came out."""
    given = _arguments()
    if not folder().is_dir():
        print(f"{folder()} is not there. hint: set CORRAL_TRACES to the folder that has openb/", file=sys.stderr)
        return 1
    for name in [one for one in MEASURES if one in (given.measures or MEASURES)]:
        before = os.getloadavg()[0]
        section = {
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "load_before": round(before, 1),
            **_measured(name, given),
        }
        written(given.output, name, section)
        drawn(given.output.parent, name, section)
        print("\n".join(["", *lines(name, section), ""]), flush=True)
    return 0


def _measured(name: str, given: argparse.Namespace) -> dict[str, Any]:
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    match name:
        case "filling":
            return measure_filling(Measured(given.policy, given.mix), given.workloads, seeds, given.processes, _say)
        case "churning":
            policies = (Measured(given.policy, given.mix), Measured(given.beside, "known"))
            return measure_churning(policies, given.churned, given.loads, seeds, given.processes, _say)
        case _:
            return measure_speed(given.policy, NODES, GANGS, _say)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.placement", description=__doc__)
    parser.add_argument("measures", nargs="*", choices=[*MEASURES, []], metavar="|".join(MEASURES))
    parser.add_argument("--policy", default="default", help="the one to measure")
    parser.add_argument(
        "--mix", default=MIXES[0], choices=MIXES, help="of filling and churning: where it has the mix from"
    )
    parser.add_argument("--beside", default="fgd", help="of churning: the one beside it")
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--first-seed", type=int, default=42)
    parser.add_argument("--workloads", nargs="+", default=list(WORKLOADS), help="of filling")
    parser.add_argument("--churned", default="default", help="of churning: the workload")
    parser.add_argument("--loads", nargs="+", type=float, default=[0.8, 0.9, 1.0, 1.15], help="of churning")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="at once")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "bench" / "results" / "placement.json", help="the figures"
    )
    return parser.parse_args()


def _say(step: str) -> None:
    print(f"  {monotonic() - _BEGAN:5.0f} s  {step} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
