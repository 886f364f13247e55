"""From the text of a schedule to the moments it names.

Five fields as cron has them, with lists, ranges, steps, names of months and days, `L` and `#`; `?` is `*`. Arena's manual
shows six fields, the first for seconds: that is taken as long as it says 0. Words such as @hourly stand for five fields, and
`@every 90m` counts from an anchor.

Clocks that are changed (by the rules of Debian's cron, which `cronsim` follows): a time of day that does not exist on a
day is run when the clock has jumped over it, one that exists twice is run once, and what runs every so many minutes goes
on by the passing of time.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Final, NamedTuple, Protocol

from cronsim import CronSim, CronSimError

from corral.kinds.cron.grammar import EXAMPLE, FIELDS, MACROS

MOST_COUNTED: Final = 1000
"""Up to so many times that have passed are counted one by one; what was away for so long needs no exact number."""

_EVERY: Final = re.compile(r"@every +((?:[0-9]{1,6}[hms])+)")
_UNITS: Final = {"h": 3600, "m": 60, "s": 1}
_MINUTE: Final = 60
_LONGEST_FOLD: Final = 4 * 3600.0
"""No clock of our days is put back by more at once."""
_STEPS_BACK: Final = (3600.0, 86400.0, 32 * 86400.0, 366 * 86400.0, 9 * 366 * 86400.0)
"""How far back the latest time is looked for, near before far, so that a long absence is not counted through."""
_SOME_DAY: Final = datetime(2024, 1, 1, tzinfo=UTC)


class Timetable(Protocol):
    """Moments, as seconds since the epoch."""

    def after(self, moment: float) -> Iterator[float]:
        """Yields the moments that come after one, in order; there may be no end to them, or no beginning."""


class ByFields(NamedTuple):
    """Every minute that five fields describe, by the clock of a zone."""

    expression: str
    zone: tzinfo = UTC

    def after(self, moment: float) -> Iterator[float]:
        """Yields the moments after one."""
        begin = datetime.fromtimestamp(moment, self.zone)
        if begin.fold:
            # The clock shows this time for the second time; going by what it shows would lose what it showed before.
            begin = datetime.fromtimestamp(moment - _LONGEST_FOLD, self.zone)
        for found in CronSim(self.expression, begin):
            if found.timestamp() > moment:
                yield found.timestamp()


class ByInterval(NamedTuple):
    """Every so many seconds, counted from an anchor."""

    seconds: int
    anchor: float = 0.0

    def after(self, moment: float) -> Iterator[float]:
        """Yields the moments after one."""
        first = self.anchor // _MINUTE * _MINUTE
        count = max(int((moment - first) // self.seconds), 0)
        while True:
            count += 1
            yield first + count * self.seconds


def timetable_of(schedule: str, zone: tzinfo = UTC, anchor: float = 0.0) -> Timetable:
    """Returns the timetable of a schedule without faults."""
    every = _EVERY.fullmatch(schedule.strip())
    if every is not None:
        return ByInterval(_seconds(every[1]), anchor)
    return ByFields(_five_fields(schedule), zone)


def faults_in(schedule: str) -> list[str]:
    """Returns everything that is wrong with the text of a schedule."""
    text = schedule.strip()
    if text.startswith("@"):
        return _faults_in_word(text)
    if "TZ=" in text.partition(" ")[0]:
        return ["the time zone stands in spec.timeZone"]
    given = _five_fields(text).split()
    if len(given) != len(FIELDS):
        is_six = len(given) == len(FIELDS) + 1
        return ["the seconds in front can only be 0" if is_six else f"it has {len(given)} fields; {EXAMPLE}"]
    faults = [
        f'the {name} "{one}" is not one' for name, one in zip(FIELDS, given, strict=True) if not _is_field(name, one)
    ]
    if not faults and not _is_expression(" ".join(given)):
        faults.append("no month that it names has such a day")
    return faults


class Passed(NamedTuple):
    """Times that have passed: the latest, and how many there were."""

    latest: float
    times: int


def passed(timetable: Timetable, after: float, until: float) -> Passed | None:
    """Returns the times after one moment and not after another, None when there is none; see `MOST_COUNTED`."""
    found: float | None = None
    count = 0
    for moment in timetable.after(after):
        if moment > until:
            break
        found, count = moment, count + 1
        if count == MOST_COUNTED:
            return Passed(_latest(timetable, found, until), count)
    return None if found is None else Passed(found, count)


def _latest(timetable: Timetable, known: float, until: float) -> float:
    """Returns the latest time until a moment, of which `known` is one."""
    for step in _STEPS_BACK:
        latest = None
        for moment in timetable.after(max(known, until - step)):
            if moment > until:
                break
            latest = moment
        if latest is not None:
            return latest
    return known


def _faults_in_word(text: str) -> list[str]:
    every = _EVERY.fullmatch(text)
    if every is not None:
        seconds = _seconds(every[1])
        return [] if seconds and not seconds % _MINUTE else ["@every must be a number of whole minutes"]
    return [] if text in MACROS else [f'"{text}" is not known; {EXAMPLE}']


def _five_fields(schedule: str) -> str:
    words = MACROS.get(schedule.strip(), schedule).split()
    if len(words) == len(FIELDS) + 1 and words[0] == "0":
        words = words[1:]
    return " ".join("*" if word == "?" else word for word in words)


def _is_field(name: str, text: str) -> bool:
    return _is_expression(" ".join(text if one == name else "*" for one in FIELDS))


def _is_expression(text: str) -> bool:
    try:
        CronSim(text, _SOME_DAY)
    except CronSimError:
        return False
    return True


def _seconds(duration: str) -> int:
    return sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"([0-9]+)([hms])", duration))
