"""Whole outputs of `corral cron list` and `get`: into a pipe, and on terminals of 80 and 160 columns."""

import pytest

from corral.control.desk.making.crons import CronLine, RunLine
from corral.surfaces.cli.render.cron_table import cron_story, cron_table
from corral.surfaces.cli.render.terminal import Surroundings

NIGHTLY = CronLine(
    namespace="vision",
    name="nightly",
    type="PyTorchJob",
    schedule="0 22 * * MON-FRI",
    suspended=False,
    deadline="",
    policy="Forbid",
    time_zone="Europe/Berlin",
    created="2026-11-01T08:00:00Z",
    last="2026-11-17T21:00:00Z",
    next="2026-11-18T21:00:00Z",
    active=1,
    missed=2,
    state="Scheduled",
    why="",
)
RESTS = NIGHTLY._replace(
    name="rests", suspended=True, next="", state="Suspended", why="no jobs are made until it is resumed"
)
PIPE = """\
NAME     TYPE        SCHEDULE          SUSPEND  DEADLINE  CONCURRENCYPOLICY
nightly  PyTorchJob  0 22 * * MON-FRI  false              Forbid
rests    PyTorchJob  0 22 * * MON-FRI  true               Forbid"""
WIDE = """\
NAME     TYPE        SCHEDULE          SUSPEND  DEADLINE  CONCURRENCYPOLICY  STATE      NEXT                  LAST                  ACTIVE  MISSED
nightly  PyTorchJob  0 22 * * MON-FRI  false              Forbid             Scheduled  2026-11-18T21:00:00Z  2026-11-17T21:00:00Z  1       2
rests    PyTorchJob  0 22 * * MON-FRI  true               Forbid             Suspended  -                     2026-11-17T21:00:00Z  1       2"""


@pytest.mark.parametrize(
    ("where", "shown"), [(Surroundings(), PIPE), (Surroundings(80), PIPE), (Surroundings(160), WIDE)]
)
def test_a_list_has_the_columns_of_arena_and_ours_where_there_is_room(where: Surroundings, shown: str) -> None:
    assert cron_table([NIGHTLY, RESTS], where, everywhere=False, wide=False) == shown


def test_the_namespace_comes_first_when_all_are_shown() -> None:
    shown = cron_table([NIGHTLY], Surroundings(), everywhere=True, wide=True).splitlines()
    assert shown[1].endswith("Europe/Berlin")
    assert [line.split()[0] for line in shown] == ["NAMESPACE", "vision"]


def test_one_cron_is_shown_with_its_jobs() -> None:
    runs = [
        RunLine("nightly-29915880", "Failed", "PyTorchJob", "2026-11-17T21:00:00Z", "2026-11-17T21:41:07Z"),
        RunLine("nightly-29917320", "Running", "PyTorchJob", "2026-11-18T21:00:00Z", ""),
    ]
    assert (
        cron_story(RESTS, runs, Surroundings(80))
        == """\
Name:               rests
Namespace:          vision
Type:               PyTorchJob
Schedule:           0 22 * * MON-FRI
Suspend:            true
ConcurrencyPolicy:  Forbid
CreationTimestamp:  2026-11-01T08:00:00Z
LastScheduleTime:   2026-11-17T21:00:00Z
Deadline:
NextScheduleTime:
TimeZone:           Europe/Berlin
Missed:             2
State:              Suspended: no jobs are made until it is resumed

History:
NAME              STATUS   TYPE        CREATETIME            FINISHTIME
----              ------   ----        ----------            ----------
nightly-29915880  Failed   PyTorchJob  2026-11-17T21:00:00Z  2026-11-17T21:41:07Z
nightly-29917320  Running  PyTorchJob  2026-11-18T21:00:00Z"""
    )


def test_nothing_in_a_cron_can_steer_a_terminal() -> None:
    bad = NIGHTLY._replace(schedule="\x1b[31m@daily", why="\x1b]0;gone\x07", state="Invalid")
    for shown in (
        cron_table([bad], Surroundings(160), everywhere=False, wide=True),
        cron_story(bad, [], Surroundings(80)),
    ):
        assert "\x1b" not in shown
