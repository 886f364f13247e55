"""Times as the API writes them (RFC 3339, whole seconds) and as decisions compute with them (seconds since the epoch)."""

from datetime import UTC, datetime


def seconds_of(stamp: str | None) -> float | None:
    """Returns a timestamp as seconds, None when there is none or it is not one."""
    if not stamp:
        return None
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except ValueError:
        return None


def stamp_of(seconds: float) -> str:
    """Returns seconds as a timestamp."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_stamp_of(seconds: float) -> str:
    """Returns seconds as a timestamp with millionths, as leases carry it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
