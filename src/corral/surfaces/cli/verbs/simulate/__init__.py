"""`corral simulate`: what a policy would make of a trace."""

from corral.surfaces.cli.calling.lazy_group import LazyGroup
from corral.surfaces.cli.commands import Entry, Section

SECTIONS: dict[str, Section] = {
    "Of what": {
        "trace": Entry("Nodes and pods from two files of comma-separated values."),
    },
}

simulate = LazyGroup(
    name="simulate",
    package=__name__,
    sections=SECTIONS,
    help="""Try how a policy places pods, without a cluster.

    \b
    corral simulate trace --nodes nodes.csv --pods pods.csv

    The decisions are those of the scheduler itself. Nothing is sent anywhere.
    """,
)
