"""`corral top`: what nodes, jobs and queues use."""

from corral.surfaces.cli.calling.lazy_group import LazyGroup
from corral.surfaces.cli.commands import Entry, Section
from corral.surfaces.cli.connection import api_options

SECTIONS: dict[str, Section] = {
    "Of what": {
        "node": Entry("Nodes: their GPUs, and processors and memory in use.", ("nodes",)),
        "job": Entry("Jobs, or the ranks of one: GPUs, processors, memory.", ("jobs",)),
        "queue": Entry("Queues: what each has, is guaranteed and waits for.", ("queues",)),
    },
}

top = api_options(
    LazyGroup(
        name="top",
        package=__name__,
        sections=SECTIONS,
        help="""Show what nodes, jobs and queues use.

    \b
    corral top node
    corral top job digits -r
    corral top queue

    Processors and memory come from the metrics of the cluster, or from the nodes themselves; no Prometheus is needed.
    """,
    )
)
