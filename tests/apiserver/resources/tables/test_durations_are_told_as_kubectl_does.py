"""Ages keep two or three significant figures; a clock that is a little ahead is no error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.engine.apiserver.resources.tables.ages import age, human_duration, instant

MINUTE, HOUR, DAY = 60, 3600, 86400

TOLD = {
    -2: "<invalid>",
    -1.9: "0s",
    0: "0s",
    1.99: "1s",
    119: "119s",
    120: "2m",
    121: "2m1s",
    9 * MINUTE + 59: "9m59s",
    10 * MINUTE + 1: "10m",
    179 * MINUTE + 59: "179m",
    3 * HOUR: "3h",
    3 * HOUR + MINUTE: "3h1m",
    8 * HOUR - 1: "7h59m",
    8 * HOUR + 5 * MINUTE: "8h",
    48 * HOUR - 1: "47h",
    2 * DAY: "2d",
    2 * DAY + HOUR: "2d1h",
    8 * DAY - 1: "7d23h",
    8 * DAY + HOUR: "8d",
    730 * DAY - 1: "729d",
    730 * DAY: "2y",
    731 * DAY: "2y1d",
    8 * 365 * DAY - 1: "7y364d",
    8 * 365 * DAY + DAY: "8y",
}


@pytest.mark.parametrize(("seconds", "told"), TOLD.items())
def test_a_duration_is_told_with_few_figures(seconds: float, told: str) -> None:
    assert human_duration(seconds) == told


@given(st.floats(min_value=0, max_value=1e10))
def test_a_told_duration_is_never_more_than_the_real_one(seconds: float) -> None:
    units = {"s": 1, "m": MINUTE, "h": HOUR, "d": DAY, "y": 365 * DAY}
    told, total, digits = human_duration(seconds), 0, ""
    for char in told:
        if char.isdigit():
            digits += char
        else:
            total, digits = total + int(digits) * units[char], ""
    assert total <= seconds
    assert seconds - total < max(total, 1)


def test_no_time_is_unknown() -> None:
    assert age(None, 0.0) == age("", 0.0) == age("soon", 0.0) == "<unknown>"


def test_times_have_any_precision_and_zone() -> None:
    assert instant("1970-01-01T00:01:00Z") == 60.0
    assert instant("1970-01-01T00:01:00.500000Z") == 60.5
    assert instant("1970-01-01T01:01:00+01:00") == 60.0
