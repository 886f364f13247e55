"""`corral cron`: training jobs on a schedule. The commands that make one have the flags of `corral submit`."""

import click

from corral.surfaces.cli.calling.lazy_group import LazyGroup
from corral.surfaces.cli.commands import Entry, Section
from corral.surfaces.cli.verbs.submit import ELSEWHERE
from corral.surfaces.cli.verbs.submit import SECTIONS as TYPES

SECTIONS: dict[str, Section] = {
    **TYPES,
    "Those there are": {
        "list": Entry("Show the crons.", ("ls",)),
        "get": Entry("Show one cron, and what became of its jobs."),
        "suspend": Entry("Make no more jobs, until it is resumed."),
        "resume": Entry("Make jobs again."),
        "delete": Entry("Delete crons, and their jobs with them.", ("del",)),
    },
}
_WORDS = {word for section in TYPES.values() for word in section}


class CronGroup(LazyGroup):
    """What can be done about crons, and a command for each type of jobs."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns the command of a type, or one of the others."""
        name = self._names.get(cmd_name)
        if name not in _WORDS:
            return super().get_command(ctx, cmd_name)
        from corral.surfaces.cli.verbs.cron.typed import typed_command

        return typed_command(name)


cron = CronGroup(
    name="cron",
    package=__name__,
    sections=SECTIONS,
    elsewhere=ELSEWHERE,
    help="""Make training jobs on a schedule.

    \b
    corral cron tfjob --schedule '0 22 * * *' --name nightly --image my/tf ...
    corral cron list
    corral cron get nightly

    Schedules go by UTC unless --time-zone says otherwise. Each time makes a job of its own, named after the cron and the time.
    """,
)
