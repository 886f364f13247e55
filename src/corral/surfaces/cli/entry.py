"""Where the `corral` script begins: it loads the command line such that Ctrl-C meanwhile ends without a traceback."""

import gc
import sys


def main() -> None:
    """Loads the command line and runs it; ends the process with its exit status."""
    # A command makes many objects, no cycles, and ends: looking for cycles among a thousand jobs takes a third of its time.
    gc.set_threshold(100_000, 20, 50)
    try:
        from corral.surfaces.cli.main import main as run_and_exit

        run_and_exit()
    except KeyboardInterrupt:
        sys.exit(130)
