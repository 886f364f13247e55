"""The flags that say when jobs are made, as rows of the same table that those of jobs stand in."""

from collections.abc import Mapping
from typing import Any

from corral.kinds.cron.making import Timing
from corral.kinds.submission import spelling
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.submission.flag import COUNT, SWITCH, TIME, Flag, Value, chosen


def _schedule(text: str) -> str:
    from corral.kinds.cron.timetable import faults_in

    if faults := faults_in(text):
        raise ValueError(f"{spelling.shown(text)} is no schedule: {'; '.join(faults)}")
    return text


def _zone(text: str) -> str:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{spelling.shown(text)} is no time zone: write it as Europe/Berlin") from error
    return text


def _moment(text: str) -> str:
    from datetime import datetime

    try:
        is_moment = "T" in text and datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        is_moment = False
    if not is_moment:
        raise ValueError(f"{spelling.shown(text)} is no time: write it as 2030-12-31T23:59:00Z")
    return text


FLAGS = (
    Flag("--schedule", "schedule", Value("'M H D M W'", _schedule), "When: minute, hour, day, month, day of week."),
    Flag("--time-zone", "time_zone", Value("ZONE", _zone), "By whose clock, as Europe/Berlin; UTC by default."),
    Flag(
        "--concurrency-policy",
        "concurrency_policy",
        chosen("Allow", "Forbid", "Replace"),
        "While a job still runs: allow another (default), forbid it, or replace the first.",
    ),
    Flag("--suspend", "suspend", SWITCH, "Make none yet; `corral cron resume` begins."),
    Flag("--deadline", "deadline", Value("TIME", _moment), "Make none after it: 2030-12-31T23:59:00Z."),
    Flag("--starting-deadline", "starting_deadline_seconds", TIME, "Make none that is later than so: 90s, 10m."),
    Flag("--history-limit", "history_limit", COUNT, "How many jobs that have ended are kept; 10 by default."),
)


_EXAMPLE = {"--schedule": "--schedule '0 22 * * *' is every day at ten in the evening, by UTC"}
"""What may help with a flag more than what it means."""


def timing_given(word: str, given: Mapping[str, Any]) -> Timing:
    """Returns when jobs are to be made."""
    said = {flag.field: _value(flag, given[flag.key]) for flag in FLAGS if given.get(flag.key) is not None}
    if "schedule" not in said:
        hint = f"corral cron {word} --schedule '0 22 * * *' --name NAME --image IMAGE 'COMMAND'"
        raise Mistyped("--schedule: a cron needs one", hint)
    return Timing(**said)


def _value(flag: Flag, text: Any) -> Any:
    try:
        return text if flag.is_switch else flag.value.read(text)
    except ValueError as error:
        raise Mistyped(f"{flag.name}: {error}", _EXAMPLE.get(flag.name, flag.help)) from error
