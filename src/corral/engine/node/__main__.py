"""The node as a process: `python -m corral.engine.node --kubeconfig PATH --folder FOLDER`, of the embedded cluster."""

import argparse
import asyncio
import gc
import logging
import os
import sys

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.system.log_lines import begin_logging
from corral.engine.node.process import NodeOrders, run
from corral.errors import CorralError


def main() -> int:
    """Reads the command line and works; a lasting problem is one clear line and exit code 70."""
    parser = argparse.ArgumentParser(prog="corral.engine.node", description=__doc__)
    parser.add_argument("--kubeconfig", required=True, help="how to reach the API")
    parser.add_argument("--folder", required=True, help="where pods, logs and claims are kept")
    parser.add_argument("--token-file", default="", help="a token that may ask this node for logs and for exec")
    given = parser.parse_args()
    begin_logging("text")
    logging.getLogger("corral.control").setLevel(logging.WARNING)
    gc.freeze()
    try:
        config = read_kubeconfig([given.kubeconfig], must_exist=True)
        access = access_of(config, config.current, os.environ)
        asyncio.run(run(access, NodeOrders(given.folder, token_file=given.token_file)))
    except CorralError as error:
        print(f"error: {error.message}", *([f"hint: {error.hint}"] if error.hint else []), sep="\n", file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
