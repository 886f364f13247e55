"""Training jobs as a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corral.surfaces.cli.render.plain import age, table

if TYPE_CHECKING:
    from corral.control.desk.job_lines import JobLine

_HEAD = ("NAME", "KIND", "STATE", "PODS", "RESTARTS", "AGE", "DURATION")


def job_table(lines: "Sequence[JobLine]", now: float, *, everywhere: bool, wide: bool) -> str:
    """Returns a table of jobs; progress has a column when a job tells of it."""
    with_progress = wide or any(line.progress for line in lines)
    head = (
        *(("NAMESPACE",) if everywhere else ()),
        *_HEAD,
        *(("PROGRESS",) if with_progress else ()),
        *(("FAILURE", "NODES") if wide else ()),
    )
    rows = [
        (
            *((line.namespace,) if everywhere else ()),
            line.name,
            line.kind,
            line.state,
            f"{line.ready}/{line.total}",
            str(line.restarts),
            _shown(None if line.created is None else now - line.created),
            _shown(line.duration(now)),
            *((line.progress or "-",) if with_progress else ()),
            *((line.failure or "-", ",".join(line.nodes) or "-") if wide else ()),
        )
        for line in lines
    ]
    return table([head, *rows])


def _shown(seconds: float | None) -> str:
    return "-" if seconds is None else age(seconds)
