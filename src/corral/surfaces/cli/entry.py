"""Where the `corral` script begins: it loads the command line such that Ctrl-C meanwhile ends without a traceback."""

import sys


def main() -> None:
    """Loads the command line and runs it; ends the process with its exit status."""
    try:
        from corral.surfaces.cli.main import main as run_and_exit

        run_and_exit()
    except KeyboardInterrupt:
        sys.exit(130)
