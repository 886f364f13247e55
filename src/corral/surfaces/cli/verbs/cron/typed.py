"""The command that makes jobs of one type on a schedule."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from corral.surfaces.cli.connection import api_options, chosen_api, connected
from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.speech.exit_codes import DONE
from corral.surfaces.cli.speech.mistyped import Mistyped
from corral.surfaces.cli.submission.command import FlagCommand
from corral.surfaces.cli.submission.flags import sections_of
from corral.surfaces.cli.submission.reading import refuse_faults, submission_given
from corral.surfaces.cli.submission.sending import (
    Sending,
    refuse_unmet,
    sending_params,
    show_objects,
    tell_commands,
    tell_made,
    with_sets,
)
from corral.surfaces.cli.verbs.cron.timing import FLAGS, timing_given

if TYPE_CHECKING:
    from corral.kinds.cron.making import Timing
    from corral.kinds.objects import Object
    from corral.kinds.submission.submission import Submission

_SENDING = ("dry_run", "output", "quiet", "sets", "key")
"""A cron has no end that could be waited for."""
_ROOM_FOR_TIME = len("-29000000")


def typed_command(word: str) -> click.Command:
    """Returns the command that makes crons of a type."""
    callback = api_options(partial(_cron, word))
    own: list[click.Parameter] = list(reversed(callback.__click_params__))  # type: ignore[attr-defined]
    command = click.Argument(["command"], nargs=-1, metavar="['COMMAND']")
    sending = [param for param in sending_params() if param.name in _SENDING]
    return FlagCommand(
        name=word,
        sections={"When": FLAGS, **sections_of(word)},
        params=[command, *sending, *own],
        callback=callback,
        help=_HELP.format(word=word),
        short_help=f"Make a {word} again and again.",
    )


_HELP = """Make a {word} again and again, by a schedule.

    \b
    corral cron {word} --schedule '0 22 * * *' --name a --image b 'train'
    corral cron {word} --schedule @hourly --concurrency-policy Forbid ...
    corral cron {word} --schedule '@every 90m' ... --dry-run=client

    Five fields as in crontab, or @hourly, @daily, @weekly, @monthly, @yearly. The other flags are those of submit; --set is
    about the job. The API is asked first whether it would take such a job.
    """


def _cron(word: str, command: tuple[str, ...], **given: Any) -> int:
    """Makes a cron of a type."""
    sending = Sending(**{field: given.pop(field) for field in _SENDING})
    timing = timing_given(word, given)
    submission = submission_given(word, given, command)
    _refuse_long_name(submission)
    if sending.dry_run == "client":
        show_objects(_objects(submission, timing, chosen_api().namespace, sending), sending)
        return DONE
    from corral.control.desk.making.crons import make_cron
    from corral.control.desk.making.needs import needs_of

    needs = needs_of(submission)
    with connected(doing="" if sending.quiet else "submitting to") as session:
        objects = _objects(submission, timing, session.namespace, sending)
        refuse_unmet(session, needs)
        made = make_cron(session, objects, key=sending.key, dry_run=sending.dry_run == "server", on_note=_note)
    tell_made(made, sending)
    if sending.dry_run == "none" and not sending.quiet and not sending.output.name:
        _tell_next(made[0].key.name, made[0].key.namespace, timing)
    return DONE


def _objects(submission: "Submission", timing: "Timing", namespace: str, sending: Sending) -> "list[Object]":
    from msgspec.structs import replace

    from corral.kinds.cron.making import cron_objects
    from corral.kinds.submission.objects import objects_of

    placed = replace(submission, namespace=namespace)
    refuse_faults(placed)
    return cron_objects(with_sets(objects_of(placed), sending.sets), timing)


def _refuse_long_name(submission: "Submission") -> None:
    """Refuses a name to which that of a time cannot be added."""
    from msgspec.structs import replace

    from corral.kinds.submission.faults import faults_of

    longer = replace(submission, name=submission.name + "0" * _ROOM_FOR_TIME)
    if any(fault.field == "name" for fault in faults_of(longer)):
        message = f"--name: {submission.name} is too long: its jobs are named after it and their time"
        raise Mistyped(message, f"leave room for {_ROOM_FOR_TIME} letters more, and for the names of pods")


def _tell_next(name: str, namespace: str, timing: "Timing") -> None:
    if not timing.suspend:
        tell(_first(timing))
    tell_commands(
        namespace,
        (["cron", "get", name], "what became of its jobs"),
        (["cron", "suspend", name], "make none for a while"),
        (["cron", "delete", name], "end it, and its jobs"),
    )


def _first(timing: "Timing") -> str:
    """Returns when the first job comes, by the clock of the schedule and by the one of this machine."""
    import time
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    from corral.kinds.cron.timetable import timetable_of

    now = time.time()
    zone = ZoneInfo(timing.time_zone) if timing.time_zone else UTC
    moment = next(timetable_of(timing.schedule, zone, anchor=now).after(now), None)
    if moment is None:
        return "note: the schedule names no time of the next fifty years"
    there, here = datetime.fromtimestamp(moment, zone), datetime.fromtimestamp(moment).astimezone()
    local = "" if there.utcoffset() == here.utcoffset() else f", {here:%H:%M} here"
    return f"first job: {there:%Y-%m-%d %H:%M} {timing.time_zone or 'UTC'}{local}"


def _note(text: str) -> None:
    tell(f"note: {text}")
