"""The time zones of the machine, or of the package `tzdata` where it has none."""

from datetime import UTC, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


@lru_cache(maxsize=256)
def zone_of(name: str) -> tzinfo | None:
    """Returns the zone of a name, UTC for none, None when there is no such zone."""
    if name in ("", "UTC", "Etc/UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder of zones, or a name that leaves it
        return None
