"""Keeping Python's garbage collector out of the way of large caches.

Decoded objects are trees: they die by their reference counts, and the collector, which only finds cycles, walks over all of
them for nothing. With 10,000 pods held as whole objects this took three quarters of the time of a list and of every
event. So while a list is taken the collector waits, what a long list brought is put out of its sight, and it looks less often.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_LONG = 1000
_holders = 0


def tune() -> None:
    """Makes the collector look less often; called once by a process that holds caches."""
    gc.set_threshold(50_000, 20, 50)


@contextmanager
def collector_waits() -> Iterator[None]:
    """Holds the collector off; may be entered by several tasks at a time."""
    global _holders
    _holders += 1
    gc.disable()
    try:
        yield
    finally:
        _holders -= 1
        if _holders == 0:
            gc.enable()


def keep(objects: int) -> None:
    """Puts everything there is out of the collector's sight, if a list brought enough to make that worth while.

    Cycles that are garbage at this moment stay for ever; lists are rare and such cycles few, so that is a fair price.
    """
    if objects >= _LONG:
        gc.freeze()
