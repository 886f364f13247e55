"""What is known about a job, for programs and for people: plain in a terminal, a small table in a notebook."""

import time
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

from corral.control.desk.jobs.lines import JobLine
from corral.surfaces.sdk.verbs import Seen

_SIGNS: Final = {"Succeeded": ("#2a7f3f", "✓"), "Failed": ("#b3261e", "✗"), "Running": ("#1a66b3", "▶")}
_WAITING: Final = ("#8a6d00", "…")
_CELL: Final = "text-align:left;padding:2px 12px 2px 0"


class JobView:
    """A job as it was last looked at."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    @property
    def name(self) -> str:
        """Returns its name."""
        return self._seen.line.name

    @property
    def namespace(self) -> str:
        """Returns its namespace."""
        return self._seen.line.namespace

    @property
    def kind(self) -> str:
        """Returns its kind, such as `PyTorchJob`."""
        return self._seen.line.kind

    @property
    def state(self) -> str:
        """Returns its state: Created, Running, Restarting, Suspended, Succeeded, Failed; Pending before the first."""
        return self._seen.line.state

    @property
    def is_finished(self) -> bool:
        """Whether it has succeeded or failed."""
        return self._seen.line.has_ended

    @property
    def has_succeeded(self) -> bool:
        """Whether it has succeeded."""
        return self._seen.line.state == "Succeeded"

    @property
    def line(self) -> JobLine:
        """Returns everything that a table tells about it."""
        return self._seen.line

    @property
    def object(self) -> dict[str, Any]:
        """Returns the object of the API; not to be changed."""
        return self._seen.found.object

    def __repr__(self) -> str:
        return f"<{job_text(self._seen.line, time.time())}>"

    def _repr_html_(self) -> str:
        return jobs_html([self._seen.line], time.time())


def job_text(line: JobLine, now: float) -> str:
    """Returns a job in a few words."""
    took = line.duration(now)
    parts = [line.state, f"{line.ready}/{line.total} pods", *([] if took is None else [f"{took:.0f} s"])]
    parts += [part for part in (line.progress, line.failure) if part]
    return f"{line.kind} {line.namespace}/{line.name}: {', '.join(parts)}"


_HEADERS: Final = ("Name", "Kind", "State", "Pods", "Restarts", "Seconds", "Progress", "Failure")


def jobs_html(lines: Iterable[JobLine], now: float) -> str:
    """Returns jobs as a table; whatever they are called, it stays text."""
    rows = "".join(_row(line, now) for line in lines)
    head = "".join(f'<th style="{_CELL}">{header}</th>' for header in _HEADERS)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(line: JobLine, now: float) -> str:
    took = line.duration(now)
    cells: Sequence[str] = (
        escape(f"{line.namespace}/{line.name}"),
        escape(line.kind),
        _state(line.state),
        f"{line.ready}/{line.total}",
        str(line.restarts),
        "" if took is None else f"{took:.0f}",
        escape(line.progress),
        escape(line.failure),
    )
    return "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>"


def _state(state: str) -> str:
    colour, sign = _SIGNS.get(state, _WAITING)
    return f'<span style="color:{colour}">{sign} {escape(state)}</span>'
