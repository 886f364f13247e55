"""`corral simulate`: what a policy would make of a trace, of a cluster, or of one that is otherwise."""

from corral.surfaces.cli.calling.lazy_group import LazyGroup
from corral.surfaces.cli.commands import Entry, Section

SECTIONS: dict[str, Section] = {
    "Of what": {
        "live": Entry("The cluster as it is now, and its line."),
        "snapshot": Entry("A cluster as it was when it was saved."),
        "trace": Entry("Nodes and pods from two files of comma-separated values."),
    },
    "Beforehand": {
        "save": Entry("Save what a scheduler reads of a cluster, without its secrets."),
    },
}

simulate = LazyGroup(
    name="simulate",
    package=__name__,
    sections=SECTIONS,
    help="""Try how a policy places pods, and what other nodes or quotas would change.

    \b
    corral simulate live --add-nodes 2 --like gpu-3
    corral simulate save cluster.json
    corral simulate snapshot -f cluster.json --without-node gpu-7
    corral simulate trace --nodes nodes.csv --pods pods.csv

    The decisions are those of the scheduler itself. Nothing is changed anywhere.
    """,
)
