"""Crons as a table, and one in full: Arena's columns and lines, and ours to the right of them or below."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corral.surfaces.cli.render.columns import Column, laid_out
from corral.surfaces.cli.render.terminal import Surroundings

if TYPE_CHECKING:
    from corral.control.desk.making.crons import CronLine, RunLine


def cron_table(lines: "Sequence[CronLine]", where: Surroundings, *, everywhere: bool, wide: bool) -> str:
    """Returns a table of crons."""
    columns: list[Column[CronLine]] = [
        Column("NAME", lambda one: one.name),
        Column("TYPE", lambda one: one.type),
        Column("SCHEDULE", lambda one: one.schedule),
        Column("SUSPEND", lambda one: _word(one.suspended)),
        Column("DEADLINE", lambda one: one.deadline),
        Column("CONCURRENCYPOLICY", lambda one: one.policy),
        Column("STATE", lambda one: one.state, is_ours=True),
        Column("NEXT", lambda one: one.next or "-", is_ours=True),
        Column("LAST", lambda one: one.last or "-", is_ours=True),
        Column("ACTIVE", lambda one: str(one.active), is_ours=True),
        Column("MISSED", lambda one: str(one.missed), is_ours=True),
        Column("TIMEZONE", lambda one: one.time_zone, is_ours=True),
    ]
    if everywhere:
        columns.insert(0, Column("NAMESPACE", lambda one: one.namespace))
    return laid_out(columns, lines, where, wide=wide)


def cron_story(line: "CronLine", runs: "Sequence[RunLine]", where: Surroundings) -> str:
    """Returns one cron in full, and what became of its jobs."""
    facts = [
        ("Name:", line.name),
        ("Namespace:", line.namespace),
        ("Type:", line.type),
        ("Schedule:", line.schedule),
        ("Suspend:", _word(line.suspended)),
        ("ConcurrencyPolicy:", line.policy),
        ("CreationTimestamp:", line.created),
        ("LastScheduleTime:", line.last),
        ("Deadline:", line.deadline),
        ("NextScheduleTime:", line.next),
        ("TimeZone:", line.time_zone),
        ("Missed:", str(line.missed)),
        ("State:", f"{line.state}: {line.why}" if line.why else line.state),
    ]
    width = max(len(title) for title, _ in facts) + 2
    told = "\n".join(f"{title:<{width}}{where.safe(' '.join(text.split()))}".rstrip() for title, text in facts)
    columns: list[Column[RunLine]] = [
        Column("NAME", lambda one: one.name),
        Column("STATUS", lambda one: one.status),
        Column("TYPE", lambda one: one.type),
        Column("CREATETIME", lambda one: one.created),
        Column("FINISHTIME", lambda one: one.finished),
    ]
    return f"{told}\n\nHistory:\n{laid_out(columns, runs, where, underlined=True)}"


def _word(value: bool) -> str:
    return "true" if value else "false"
