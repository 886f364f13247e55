"""Time zones: their rules are data of the machine, so decisions are given them as values."""

from collections.abc import Callable
from datetime import UTC, tzinfo

TimeZones = Callable[[str], tzinfo | None]
"""Returns the zone of a name such as Europe/Berlin, None when there is none of that name."""


def only_utc(name: str) -> tzinfo | None:
    """Knows UTC and nothing else."""
    return UTC if name in ("", "UTC", "Etc/UTC") else None
