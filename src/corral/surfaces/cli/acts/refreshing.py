"""`-r`: the same answer again and again, with the time between them, until interrupted."""

import time
from collections.abc import Callable
from datetime import datetime

from corral.surfaces.cli.render.output import say

SECONDS = 2.0
"""How long one answer stands."""
_RULE = "-" * 43


def again_and_again(show: Callable[[], None], *, refresh: bool) -> None:
    """Shows something once, or every two seconds."""
    show()
    while refresh:
        say(f"{_RULE} {datetime.now():%Y-%m-%d %H:%M:%S} {_RULE}")
        time.sleep(SECONDS)
        show()
