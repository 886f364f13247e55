"""What gangs have in common that run about as long."""

from typing import NamedTuple


class Kind(NamedTuple):
    """What gangs have in common that run about as long."""

    queue: str
    size: int
    """GPUs of the whole gang."""
