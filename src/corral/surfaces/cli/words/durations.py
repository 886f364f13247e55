"""Times on a command line: 90s, 10m, 1h30m, 2d; a bare number is seconds. Moments are written as RFC 3339 has them."""

import re

import click

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds_given(_: click.Context, option: click.Parameter, text: str | None) -> int | None:
    """Returns the value of an option in whole seconds, at least one; None when it is not given."""
    if text is None:
        return None
    if not re.fullmatch(r"([0-9]{1,9}[smhd])+|[0-9]{1,9}", text):
        raise click.BadParameter(f"{text!r} is no time: write it as 90s, 10m, 1h30m or 2d", param=option)
    if text.isdigit():
        return max(int(text), 1)
    return max(sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"([0-9]+)([smhd])", text)), 1)


def moment_given(_: click.Context, option: click.Parameter, text: str) -> str:
    """Returns the value of an option that is a moment, as servers read it; "" when it is not given."""
    if text and not (_MOMENT.fullmatch(text) and _is_a_date(text)):
        raise click.BadParameter(f"{text!r} is no moment: write it as 2027-01-15T08:00:00Z", param=option)
    return text


def _is_a_date(text: str) -> bool:
    from datetime import datetime

    try:
        datetime.fromisoformat(re.sub(r"\.\d+", "", text))
    except ValueError:
        return False
    return True
