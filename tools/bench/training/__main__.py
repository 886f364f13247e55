"""`python -m tools.bench.training`: three to five minutes; needs the binaries of the real control plane."""

import argparse
import os
import shutil
import sys
from pathlib import Path
from time import monotonic

from corral.errors import CorralError
from corral.testing.control_plane.binaries import find_binaries
from corral.testing.control_plane.errors import ControlPlaneError
from tools.bench.processes import file_system
from tools.bench.results import Results
from tools.bench.training.cluster import Cluster
from tools.bench.training.measures import OperatorBench
from tools.bench.training.operators import OURS, Operator, ours, peer
from tools.bench.training.report import Around, lines, markdown, written
from tools.bench.wire import Refused

CACHE = Path(__file__).resolve().parent.parent.parent.parent / ".cache"
_BEGAN = monotonic()


def main() -> int:
    """Runs, prints the table and writes the figures; 0 whenever all could be measured, whatever came out."""
    given = _arguments()
    try:
        find_binaries()
    except ControlPlaneError as problem:
        print(f"The training operator was not measured: {problem.message}. hint: {problem.hint}")
        return 0
    results, load, work = Results(), os.getloadavg()[0], given.work.absolute()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    rests: dict[str, dict[str, int]] = {}
    failure = ""
    try:
        for name in (OURS, "peer") if given.peer else (OURS,):
            rests[name] = _measured(name, given, work / name, results)
    except (Refused, ControlPlaneError, CorralError, OSError) as error:
        failure = f"INCOMPLETE, stopped by: {error}"
    around = Around(
        load, os.getloadavg()[0], file_system(work), given.rest_seconds, rests, (failure,) if failure else ()
    )
    shutil.rmtree(work, ignore_errors=True)
    written(given.output, results, around)
    given.output.with_suffix(".md").write_text("\n".join(markdown(results)) + "\n")
    print("\n".join(lines(results, around)))
    return 1 if failure else 0


def _measured(name: str, given: argparse.Namespace, work: Path, results: Results) -> dict[str, int]:
    """Measures one operator on a control plane of its own; returns what it wrote at rest."""
    cluster = Cluster(work, durable=not given.fast)
    operator: Operator | None = None
    try:
        cluster.start(given.peer_manifests if name != OURS else None)
        config = cluster.plane.kubeconfig
        operator = ours(work, config) if name == OURS else peer(given.peer, given.peer_flags, work, config)
        bench = OperatorBench(cluster, operator, results, _say)
        bench.run(rounds=given.rounds, rest_seconds=given.rest_seconds, crowd=not given.no_crowd and name == OURS)
        return bench.writes_seen
    finally:
        if operator is not None:
            operator.stop()
        cluster.stop()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.training", description=__doc__)
    named = os.environ.get("CORRAL_BENCH_PEER", "")
    parser.add_argument("--peer", type=Path, default=Path(named) if named else None, help="another operator's binary")
    parser.add_argument("--peer-manifests", type=Path, help="its definitions, file or directory; by default ours")
    parser.add_argument("--peer-flags", default="", help="more words for its command line, such as raised limits")
    parser.add_argument(
        "--rounds", type=int, default=3, help="how often a hundred jobs are made, with bare creates between"
    )
    parser.add_argument("--rest-seconds", type=float, default=30.0, help="how long nothing must be written")
    parser.add_argument("--no-crowd", action="store_true", help="leave the memory of 10,000 pods out")
    parser.add_argument("--fast", action="store_true", help="etcd does not wait for the disk; for a first look only")
    parser.add_argument("--work", type=Path, default=CACHE / "bench-training", help="where the state goes; a real disk")
    parser.add_argument("--output", type=Path, default=CACHE / "bench-training.json", help="where the figures go")
    return parser.parse_args()


def _say(step: str) -> None:
    print(f"  {monotonic() - _BEGAN:5.0f} s  {step} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
