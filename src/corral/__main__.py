"""Runs the command line as `python -m corral`."""

from corral.surfaces.cli.entry import main

if __name__ == "__main__":
    main()
