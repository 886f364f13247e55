"""`corral scheduler`."""

import click

from corral import assembly
from corral.surfaces.cli.calling.cluster_part import part_options


@click.command()
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Bind pods whose schedulerName is this; repeatable. By default corral and corral-scheduler.",
)
@click.option(
    "--namespace", default="", metavar="NAME", help="Where its lease and its ledger are; by default the pod's own."
)
@click.option(
    "--shard",
    default="",
    metavar="NAME",
    help="Its name among several schedulers of one cluster, each with names of its own; each has a ledger of its own.",
)
@click.option(
    "--certificates",
    default="",
    metavar="PATH",
    help="Write a certificate of each admission to this file, a line each.",
)
@click.option(
    "--disturb/--no-disturb",
    default=True,
    show_default=True,
    help="Ask gangs that run to make room: to go, to move, to have fewer pods; and elastic ones to grow.",
)
@click.option(
    "--placements-per-move",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    metavar="N",
    help="One gang that checkpoints may be moved after so many placements; 0 moves none.",
)
@click.option(
    "--rest",
    type=click.FloatRange(min=0),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a gang that gave way then runs undisturbed, twice as long after each further time.",
)
@click.option(
    "--calm",
    type=click.FloatRange(min=0),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="How long an elastic gang keeps its size before it grows.",
)
@part_options
def scheduler(**flags: object) -> None:
    """Bind pods to the nodes of a cluster, gangs as a whole, until stopped.

    Takes the pods with schedulerName corral, beside any other scheduler. Runs in a pod with its service account, or anywhere
    with a kubeconfig.
    """
    assembly.run_scheduler(assembly.SchedulerFlags(**flags))  # type: ignore[arg-type]
