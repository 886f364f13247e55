"""The node as a process: `python -m corral.engine.node --kubeconfig PATH --folder FOLDER [--name NAME]`."""

import argparse
import asyncio
import gc
import logging
import sys

from corral.adapters.system.log_lines import begin_logging
from corral.engine.node.process import Orders, run
from corral.errors import CorralError


def main() -> int:
    """Reads the command line and works; a lasting problem is one clear line and exit code 70."""
    parser = argparse.ArgumentParser(prog="corral.engine.node", description=__doc__)
    parser.add_argument("--kubeconfig", required=True, help="how to reach the API")
    parser.add_argument("--context", default="", help="a context of the kubeconfig other than its current one")
    parser.add_argument("--folder", required=True, help="where pods, logs and claims are kept")
    parser.add_argument("--name", default="", help="the name of the Node; that of the machine by default")
    parser.add_argument("--token-file", default="", help="a token that may ask this node for logs and for exec")
    parser.add_argument("--client-ca-file", default="", help="who signs the certificates that may ask this node")
    given = parser.parse_args()
    begin_logging("text")
    logging.getLogger("corral.control").setLevel(logging.WARNING)
    gc.freeze()
    orders = Orders(
        given.kubeconfig,
        given.folder,
        context=given.context,
        name=given.name,
        token_file=given.token_file,
        client_ca_file=given.client_ca_file,
    )
    try:
        asyncio.run(run(orders))
    except CorralError as error:
        print(f"error: {error.message}", *([f"hint: {error.hint}"] if error.hint else []), sep="\n", file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
