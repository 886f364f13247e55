"""Which part of a log somebody wants, as the query of a kubelet's door says it. Pure."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec


class Asked(msgspec.Struct, frozen=True):
    """Which part of a log, and whether to wait for more."""

    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    since: datetime | None = None
    tail: int | None = None
    most_bytes: int | None = None


def asked_in(given: Mapping[str, str], now: datetime) -> Asked:
    """Returns what a query asks for; ValueError names what cannot be read."""
    since = datetime.fromisoformat(given["sinceTime"]) if given.get("sinceTime") else None
    if since is not None and since.tzinfo is None:
        raise ValueError(f'sinceTime "{given["sinceTime"]}" names no time zone')
    seconds = _number(given, "sinceSeconds", 1)
    if seconds is not None:
        since = now - timedelta(seconds=seconds)
    return Asked(
        follow=_flag(given, "follow"),
        previous=_flag(given, "previous"),
        timestamps=_flag(given, "timestamps"),
        since=since,
        tail=_number(given, "tailLines", 0),
        most_bytes=_number(given, "limitBytes", 1),
    )


def _flag(given: Mapping[str, str], name: str) -> bool:
    return given.get(name, "").lower() in ("true", "1", "t")


def _number(given: Mapping[str, str], name: str, least: int) -> int | None:
    text = given.get(name, "")
    if not text:
        return None
    number = int(text)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, not {number}")
    return number
