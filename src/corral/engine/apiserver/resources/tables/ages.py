"""Ages and durations as people read them: two or three significant figures, `<unknown>` when there is no time."""

from datetime import datetime

_MINUTE = 60
_HOUR = 3600
_DAY_HOURS = 24
_YEAR_DAYS = 365


def instant(text: str) -> float | None:
    """Returns an RFC 3339 text as seconds since the epoch, or None when it is empty or not a time."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


def age(text: str | None, now: float) -> str:
    """Returns how long ago the RFC 3339 text was."""
    moment = instant(text or "")
    return "<unknown>" if moment is None else human_duration(now - moment)


def human_duration(seconds: float) -> str:
    """Returns a duration the way kubectl does: `42s`, `5m3s`, `17m`, `3h8m`, `26h`, `3d4h`, `40d`, `2y10d`, `9y`."""
    whole = int(seconds)  # toward zero, so up to two seconds of clock skew still read as 0s
    if whole < 2 * _MINUTE:
        return "<invalid>" if whole < -1 else f"{max(whole, 0)}s"
    minutes = whole // _MINUTE
    if minutes < 10:
        return _pair(minutes, "m", whole % _MINUTE, "s")
    if minutes < 180:
        return f"{minutes}m"
    hours = whole // _HOUR
    if hours < 8:
        return _pair(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    return _days(hours)


def _days(hours: int) -> str:
    days = hours // _DAY_HOURS
    if days < 8:
        return _pair(days, "d", hours % _DAY_HOURS, "h")
    if days < 2 * _YEAR_DAYS:
        return f"{days}d"
    years = days // _YEAR_DAYS
    return _pair(years, "y", days % _YEAR_DAYS, "d") if years < 8 else f"{years}y"


def _pair(big: int, big_unit: str, small: int, small_unit: str) -> str:
    return f"{big}{big_unit}{small}{small_unit}" if small else f"{big}{big_unit}"
