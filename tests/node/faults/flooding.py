"""A container that says much: `python flooding.py KIND MEGABYTES`, then `the last word`, unless lines never end."""

import os
import sys
from collections.abc import Callable

MEGABYTE = 1 << 20


def main(kind: str, megabytes: int) -> None:
    """Writes, as fast as it can."""
    pieces: dict[str, Callable[[], bytes]] = {
        "lines": lambda: (b"x" * 63 + b"\n") * (MEGABYTE // 64),
        "binary": lambda: os.urandom(MEGABYTE),
        "endless-line": lambda: b"x" * MEGABYTE,
    }
    piece = pieces[kind]()
    for _ in range(megabytes):
        left = memoryview(piece)
        while left:
            left = left[os.write(1, left) :]
    if kind != "endless-line":
        os.write(1, b"\nthe last word\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
