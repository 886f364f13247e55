"""The controllers as a process: `python -m corral.engine.controllers --kubeconfig PATH [--controllers a,b,-c]`."""

import argparse
import asyncio
import gc
import sys

from corral.engine.controllers.log_lines import begin_logging
from corral.engine.controllers.process import Orders, run
from corral.engine.controllers.roster import chosen
from corral.engine.fake_nodes.fleet import fleet_of
from corral.errors import CorralError


def main() -> int:
    """Reads the command line and works; a lasting problem is one clear line and exit code 70."""
    parser = argparse.ArgumentParser(prog="corral.engine.controllers", description=__doc__)
    parser.add_argument("--kubeconfig", required=True, help="how to reach the API")
    parser.add_argument("--context", default="", help="a context of the kubeconfig other than its current one")
    parser.add_argument("--controllers", default="", help="names to run, or -names not to run; all by default")
    parser.add_argument(
        "--turn", choices=("auto", "lock", "lease", "none"), default="auto", help="how copies take turns"
    )
    parser.add_argument("--lock-file", default="", help="the file to lock; by default one beside the kubeconfig")
    parser.add_argument(
        "--fake-nodes", action="append", default=[], help="the fake nodes that stay: COUNTxGPUS[:MODEL]"
    )
    given = parser.parse_args()
    begin_logging()
    gc.freeze()
    try:
        names, fakes = chosen(given.controllers), frozenset(node.name for node in fleet_of(given.fake_nodes))
        asyncio.run(run(Orders(given.kubeconfig, names, given.context, given.turn, given.lock_file, fakes)))
    except CorralError as error:
        print(f"error: {error.message}", *([f"hint: {error.hint}"] if error.hint else []), sep="\n", file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
