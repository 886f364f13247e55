"""Following a job on a terminal: the lines of all ranks as they come, what is awaited, and how it ended."""

import sys
from typing import TYPE_CHECKING

from corral.kinds.spans import span
from corral.surfaces.cli.acts.failing import failure_of
from corral.surfaces.cli.render.output import tell

if TYPE_CHECKING:
    from corral.control.desk.logs.following import Ended
    from corral.control.desk.logs.reading import Heard
    from corral.control.desk.logs.sources import Choice
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session
    from corral.kinds.objects import Object
    from corral.surfaces.cli.render.log_lines import LogWriter


def follow_job(session: "Session", found: "Found", choice: "Choice", *, timestamps: bool = False) -> "Object | None":
    """Writes what a job prints until it ends, and then how; returns it as it was then, None when it is gone."""
    from corral.control.desk.jobs.lines import total_of
    from corral.control.desk.logs.following import Ended, Following

    is_alone = found.resource.kind == "Pod" or choice.is_one or total_of(found.object) == 1
    writer = log_writer(marked=not is_alone, timestamps=timestamps)
    try:
        for one in Following(session, found, choice).events():
            if isinstance(one, Ended):
                writer.end()
                tell(_farewell(session, one, found))
                return one.object
            else:
                write_heard(one, writer)
                writer.flush()
    except KeyboardInterrupt:
        writer.end()
        name = found.key.name
        tell(
            f"detached; {name} goes on\nhint: `corral logs -f {name}` follows it again, `corral delete {name}` ends it"
        )
        raise
    return None


def log_writer(*, marked: bool, timestamps: bool) -> "LogWriter":
    """Returns who writes lines to stdout, as suits what is there."""
    from corral.surfaces.cli.render.log_lines import LogWriter
    from corral.surfaces.cli.render.terminal import colours_wanted

    is_terminal = sys.stdout.isatty()
    coloured = colours_wanted(is_terminal=is_terminal)
    return LogWriter(
        sys.stdout.buffer, marked=marked, is_terminal=is_terminal, coloured=coloured, timestamps=timestamps
    )


def write_heard(heard: "Heard", writer: "LogWriter") -> None:
    """Writes what was heard: lines to stdout, notes to stderr."""
    from corral.control.desk.logs.reading import Printed

    if isinstance(heard, Printed):
        for piece in heard.pieces:
            writer.write(heard.source.label, piece)
    else:
        writer.flush()
        tell(f"note: {heard.text}")


def _farewell(session: "Session", ended: "Ended", found: "Found") -> str:
    """Returns how a followed job ended, and how long it took."""
    from corral.control.desk.jobs.lines import conditions_of, job_line
    from corral.control.desk.naming.finding import Found

    name = found.key.name
    if found.resource.kind == "Pod":
        return f"pod {name} has ended"
    if ended.object is None:
        return f"{name} was deleted"
    line = job_line(Found(found.resource, ended.object))
    took = line.duration(line.ended or 0.0)
    after = "" if took is None else f" after {span(took)}"
    if line.state == "Succeeded":
        return f"{name} succeeded{after}"
    why = [str(one.get("message", "")) for one in conditions_of(ended.object) if one.get("type") == "Failed"]
    failure = f" ({line.failure})" if line.failure else ""
    failed = failure_of(session, Found(found.resource, ended.object), f"{name} failed{after}{failure}", " ".join(why))
    return f"{failed.message}\nhint: {failed.hint}"
