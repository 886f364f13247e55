"""The command line: `python -m corral.testing.control_plane build|run|path`."""

import argparse
import sys
from time import monotonic

from corral.testing.control_plane.binaries import cache, find_binaries
from corral.testing.control_plane.building import build
from corral.testing.control_plane.problem import ControlPlaneProblem


def main(arguments: list[str] | None = None) -> int:
    """Do what the first word says; a problem is one line on standard error and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m corral.testing.control_plane")
    parser.add_argument("verb", choices=("build", "path"))
    args = parser.parse_args(arguments)
    try:
        if args.verb == "build":
            print(build(cache(), lambda line: print(line, file=sys.stderr, flush=True)))
        else:
            print(find_binaries())
    except ControlPlaneProblem as p:
        print(p, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
