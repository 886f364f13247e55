"""Showing many jobs: at once, or as they change. `corral list` and `corral get` both do."""

import gc
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from corral.surfaces.cli.render.objects import list_of, say_data
from corral.surfaces.cli.render.output import say_painted, tell
from corral.surfaces.cli.render.terminal import surroundings
from corral.surfaces.cli.words.output_form import OutputForm

if TYPE_CHECKING:
    from corral.control.desk.jobs.lines import JobLine
    from corral.control.desk.jobs.looking import Wanted
    from corral.control.desk.session import Session
    from corral.kinds.references import ApiResource

_EVERY: frozenset[str] = frozenset()


def show_jobs(
    session: "Session",
    wanted: "Wanted",
    output: OutputForm,
    *,
    resource: "ApiResource | None" = None,
    statuses: frozenset[str] = _EVERY,
    with_managers: bool = False,
) -> None:
    """Shows the jobs that are wanted, of those only the ones with these statuses."""
    from corral.control.desk.jobs.looking import jobs_in, looked_at

    gc.disable()  # this command ends when its answer is written; looking for cycles among thousands of pods is in vain
    lines: Sequence[JobLine] = ()
    if statuses or output.is_for_people:
        jobs, lines = looked_at(session, resource, wanted=wanted, at_a_glance=output.is_for_people, on_note=note)
    else:
        jobs = jobs_in(session, resource, wanted=wanted, on_note=note)
    if statuses:
        pairs = [(job, line) for job, line in zip(jobs, lines, strict=True) if line.status in statuses]
        jobs, lines = [job for job, _ in pairs], [line for _, line in pairs]
    if not output.is_for_people:
        objects, names = list_of([job.object for job in jobs]), [job.shown for job in jobs]
        say_data(objects, names, output, with_managers=with_managers)
    elif lines:
        from corral.surfaces.cli.render.job_table import job_table

        shown = job_table(lines, time.time(), surroundings(), everywhere=wanted.everywhere, wide=output.is_wide)
        say_painted(shown)
    else:
        such = " that are so" if statuses or wanted.labels or wanted.trainer else ""
        where = "in any namespace" if wanted.everywhere else f"in namespace {session.namespace}"
        tell(f"no training jobs{such} {where}")


def watch_jobs(session: "Session", wanted: "Wanted", output: OutputForm, *, statuses: frozenset[str] = _EVERY) -> None:
    """Shows the jobs that are wanted, and then each that changes, until interrupted."""
    from corral.control.desk.jobs.watching import watched_jobs

    is_first = True
    for sight in watched_jobs(session, wanted, on_note=note):
        changed = [line for line in sight.changed if not statuses or line.status in statuses]
        if output.is_for_people:
            _show_rows(sight.lines, changed, wanted, wide=output.is_wide, with_head=is_first)
            is_first = is_first and not changed
        else:
            for job in sight.objects:
                say_data(job.object, [job.shown], output, is_stream=True)


def _show_rows(
    lines: "Sequence[JobLine]", changed: "Sequence[JobLine]", wanted: "Wanted", *, wide: bool, with_head: bool
) -> None:
    """Writes the rows that changed, in the columns of the whole table, so that all stand below one another."""
    from corral.surfaces.cli.render.job_table import job_table

    if not changed:
        return
    rest = [line for line in lines if line not in changed]
    shown = job_table([*changed, *rest], time.time(), surroundings(), everywhere=wanted.everywhere, wide=wide)
    say_painted("\n".join(shown.splitlines()[0 if with_head else 1 : len(changed) + 1]))


def note(text: str) -> None:
    """Tells what an answer leaves out."""
    tell(f"note: {text}")
