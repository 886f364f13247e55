"""Fake nodes as a process: `python -m corral.engine.fake_nodes --kubeconfig PATH --fake-nodes 100x8:V100`."""

import argparse
import asyncio
import gc
import sys

from corral.adapters.system.log_lines import begin_logging
from corral.engine.fake_nodes.fleet import fleet_of
from corral.engine.fake_nodes.process import run
from corral.errors import CorralError


def main() -> int:
    """Reads the command line and works; a lasting problem is one clear line and exit code 70."""
    parser = argparse.ArgumentParser(prog="corral.engine.fake_nodes", description=__doc__)
    parser.add_argument("--kubeconfig", required=True, help="how to reach the API")
    parser.add_argument("--fake-nodes", action="append", required=True, help="COUNTxGPUS[:MODEL]; may be repeated")
    given = parser.parse_args()
    begin_logging("text")
    gc.freeze()
    try:
        asyncio.run(run(given.kubeconfig, fleet_of(given.fake_nodes)))
    except CorralError as error:
        print(f"error: {error.message}", *([f"hint: {error.hint}"] if error.hint else []), sep="\n", file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
