"""A plot as a file. Matplotlib is a tool of development only: nothing that is shipped needs it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot


@contextmanager
def figure(path: Path) -> Iterator[Any]:
    """Opens axes that are written to a PNG at the end of the block."""
    drawn, axes = pyplot.subplots(figsize=(8, 4.5), dpi=110, layout="constrained")
    yield axes
    drawn.savefig(path)
    pyplot.close(drawn)
