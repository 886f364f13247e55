"""Where the `corral` script begins and ends: Ctrl-C while it loads ends without a traceback, and its end takes no time."""

import gc
import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Loads the command line and runs it; ends the process with its exit status."""
    # A command makes many objects, no cycles, and ends: looking for cycles among a thousand jobs takes a third of its time.
    gc.set_threshold(100_000, 20, 50)
    try:
        from corral.surfaces.cli.main import run

        status = run()
    except KeyboardInterrupt:
        status = 130
    _leave(status)


def _leave(status: int) -> NoReturn:
    """Ends the process as it stands: to take apart what it has built would take as long again as half the command."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass  # whoever read the answer has had enough of it
    except (OSError, ValueError):
        status = status or 1
    os._exit(status)
