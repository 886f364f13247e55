"""The moments that a schedule names: fields, words, zones, and days on which clocks are changed."""

from datetime import datetime, tzinfo
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from corral.kinds.cron.timetable import MOST_COUNTED, Passed, faults_in, passed, timetable_of

UTC, BERLIN, NEW_YORK, SHANGHAI = (
    ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Shanghai")
)


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def shown(moment: float, zone: tzinfo) -> str:
    return datetime.fromtimestamp(moment, zone).strftime("%a %d %H:%M %z")


TIMES: dict[str, tuple[str, ZoneInfo, str, list[str]]] = {
    "a time of day": ("30 22 * * *", UTC, "2026-11-18T22:29:59+00:00", ["Wed 18 22:30 +0000", "Thu 19 22:30 +0000"]),
    "a moment is not after itself": ("30 22 * * *", UTC, "2026-11-18T22:30:00+00:00", ["Thu 19 22:30 +0000"]),
    "by the clock of a zone": ("0 22 * * *", SHANGHAI, "2026-11-18T13:00:00+00:00", ["Wed 18 22:00 +0800"]),
    "lists, ranges and steps": (
        "0-30/15,59 8 * * MON-FRI",
        UTC,
        "2026-11-20T08:15:00+00:00",
        ["Fri 20 08:30 +0000", "Fri 20 08:59 +0000", "Mon 23 08:00 +0000"],
    ),
    "either day, when both are given": (
        "0 0 1 * MON",
        UTC,
        "2026-11-24T00:00:00+00:00",
        ["Mon 30 00:00 +0000", "Tue 01 00:00 +0000"],
    ),
    "the last day of a month": ("0 6 L * *", UTC, "2027-02-01T00:00:00+00:00", ["Sun 28 06:00 +0000"]),
    "the first Monday": ("0 6 * * MON#1", UTC, "2026-11-03T00:00:00+00:00", ["Mon 07 06:00 +0000"]),
    "a leap day": ("0 0 29 2 *", UTC, "2026-11-18T00:00:00+00:00", ["Tue 29 00:00 +0000"]),
    "as Arena's manual writes it": ("0 0 22 * * ?", UTC, "2026-11-18T00:00:00+00:00", ["Wed 18 22:00 +0000"]),
    "a word": ("@weekly", UTC, "2026-11-18T00:00:00+00:00", ["Sun 22 00:00 +0000"]),
    "an interval": ("@every 1h30m", UTC, "2026-11-18T10:00:40+00:00", ["Wed 18 11:30 +0000", "Wed 18 13:00 +0000"]),
    "a time that is jumped over is run after the jump": (
        "30 2 * * *",
        NEW_YORK,
        "2026-03-07T12:00:00-05:00",
        ["Sun 08 03:00 -0400", "Mon 09 02:30 -0400"],
    ),
    "two times that are jumped to make one": (
        "0 2,3 * * *",
        NEW_YORK,
        "2026-03-07T12:00:00-05:00",
        ["Sun 08 03:00 -0400", "Mon 09 02:00 -0400"],
    ),
    "a time that comes twice is run once": (
        "30 2 * * *",
        BERLIN,
        "2026-10-24T12:00:00+02:00",
        ["Sun 25 02:30 +0200", "Mon 26 02:30 +0100"],
    ),
    "seen from the second time around": ("45 2 * * *", BERLIN, "2026-10-25T02:10:00+01:00", ["Mon 26 02:45 +0100"]),
    "what runs every half an hour goes on": (
        "*/30 * * * *",
        BERLIN,
        "2026-10-25T02:15:00+02:00",
        ["Sun 25 02:30 +0200", "Sun 25 02:00 +0100", "Sun 25 02:30 +0100", "Sun 25 03:00 +0100"],
    ),
}


@pytest.mark.parametrize(("schedule", "zone", "after", "want"), TIMES.values(), ids=TIMES)
def test_a_schedule_names_these_moments(schedule: str, zone: ZoneInfo, after: str, want: list[str]) -> None:
    assert faults_in(schedule) == []
    found = islice(timetable_of(schedule, zone, anchor=at(after)).after(at(after)), len(want))
    assert [shown(moment, zone) for moment in found] == want


FAULTS = {
    "": "it has 0 fields",
    "* *": "it has 2 fields",
    "61 * * * *": 'the minute "61" is not one',
    "30-10 * * * *": 'the minute "30-10" is not one',
    "* 24 * * *": 'the hour "24" is not one',
    "* * 0 * *": 'the day of the month "0" is not one',
    "* * * JANUARY *": 'the month "JANUARY" is not one',
    "* * * * 8": 'the day of the week "8" is not one',
    "*/0 * * * *": 'the minute "*/0" is not one',
    "0 0 31 2 *": "no month that it names has such a day",
    "30 0 22 * * ?": "the seconds in front can only be 0",
    "@never": '"@never" is not known',
    "@every 30s": "whole minutes",
    "@every": "is not known",
    "CRON_TZ=UTC 0 0 * * *": "the time zone stands in spec.timeZone",
}


@pytest.mark.parametrize(("schedule", "want"), FAULTS.items())
def test_what_is_wrong_with_a_schedule_is_told(schedule: str, want: str) -> None:
    assert want in "; ".join(faults_in(schedule))


def test_every_wrong_field_is_told() -> None:
    assert len(faults_in("a b c d e")) == 5


def test_of_times_that_have_passed_the_latest_is_found_and_all_are_counted() -> None:
    hourly = timetable_of("@hourly")
    start = at("2026-11-18T10:00:00+00:00")
    assert passed(hourly, start, start + 3599) is None
    assert passed(hourly, start, start + 3600) == Passed(start + 3600, 1)
    assert passed(hourly, start, start + 3 * 3600 + 1) == Passed(start + 3 * 3600, 3)


def test_a_year_of_minutes_is_not_counted_through() -> None:
    start, year = at("2025-11-18T10:00:30+00:00"), 365 * 86400
    assert passed(timetable_of("* * * * *"), start, start + year) == Passed(start + year - 30, MOST_COUNTED)
    once_a_day = timetable_of("0 10 * * *")
    assert passed(once_a_day, start, start + 4 * year) == Passed(start - 30 + 4 * year, MOST_COUNTED)
