"""Training jobs as a table: Arena's columns, and ours to the right of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corral.surfaces.cli.render.columns import Column, laid_out
from corral.surfaces.cli.render.plain import short_age
from corral.surfaces.cli.render.terminal import Surroundings

if TYPE_CHECKING:
    from corral.control.desk.jobs.lines import JobLine

NOTHING = "N/A"


def job_table(
    lines: "Sequence[JobLine]", now: float, where: Surroundings, *, everywhere: bool = False, wide: bool = False
) -> str:
    """Returns a table of jobs; columns of ours only when there is room for them, or all when it shall be wide."""
    return laid_out(job_columns(now, lines, everywhere=everywhere, wide=wide), lines, where, wide=wide)


def job_columns(
    now: float, lines: "Sequence[JobLine]" = (), *, everywhere: bool = False, wide: bool = False
) -> "list[Column[JobLine]]":
    """Returns the columns; one of ours that would say nothing about any of the lines is left out unless asked for."""
    told = {
        "PROGRESS": any(line.progress for line in lines),
        "FAILURE": any(map(_failure, lines)),
        "RESTARTS": any(line.restarts for line in lines),
        "NODES": False,
    }
    columns: list[Column[JobLine]] = [
        *([Column("NAMESPACE", _namespace)] if everywhere else []),
        Column("NAME", lambda line: line.name),
        Column("STATUS", lambda line: line.status),
        Column("TRAINER", lambda line: line.trainer.upper(), gives_way=3),
        Column("DURATION", lambda line: short_age(line.duration(now) or 0), gives_way=4),
        Column("GPU(Requested)", lambda line: str(line.gpus_requested)),
        Column("GPU(Allocated)", lambda line: NOTHING if line.has_ended else str(line.gpus_allocated), gives_way=2),
        Column("NODE", lambda line: line.chief_address or NOTHING, gives_way=1),
        Column("PODS", lambda line: f"{line.ready}/{line.total}", is_ours=True),
        Column("PROGRESS", lambda line: line.progress or "-", is_ours=True),
        Column("RESTARTS", lambda line: str(line.restarts), is_ours=True),
        Column("FAILURE", lambda line: _failure(line) or "-", is_ours=True),
        Column("NODES", lambda line: ",".join(line.nodes) or "-", is_ours=True),
    ]
    return [column for column in columns if wide or told.get(column.title, True)]


def _namespace(line: "JobLine") -> str:
    return line.namespace


def _failure(line: "JobLine") -> str:
    """Returns the class of the last failure; a job that has succeeded was not kept from it by any."""
    return "" if line.state == "Succeeded" else line.failure
