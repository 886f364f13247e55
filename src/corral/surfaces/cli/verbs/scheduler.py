"""`corral scheduler`."""

import click

from corral import assembly


@click.command()
@click.option("--kubeconfig", default="", metavar="PATH", help="How to reach the API; by default the pod's own access.")
@click.option("--context", default="", metavar="NAME", help="A context of the kubeconfig other than its current one.")
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
@click.option(
    "--metrics-bind-address", default=":8080", show_default=True, metavar="ADDRESS", help="/metrics; 0 for none."
)
@click.option(
    "--health-probe-bind-address",
    default=":8081",
    show_default=True,
    metavar="ADDRESS",
    help="/healthz and /readyz; 0 for none.",
)
@click.option(
    "--leader-elect/--no-leader-elect", default=True, show_default=True, help="Take turns with others by a lease."
)
@click.option(
    "--stale-after",
    type=click.FloatRange(min=1),
    default=90.0,
    show_default=True,
    metavar="SECONDS",
    help="Health fails when the server was not heard for so long.",
)
@click.option(
    "--log-format", type=click.Choice(["json", "text"]), default="text", show_default=True, help="Form of log lines."
)
def scheduler(**flags: object) -> None:
    """Bind pods to the nodes of a cluster, gangs as a whole, until stopped.

    Takes the pods with schedulerName corral, beside any other scheduler. Runs in a pod with its service account, or anywhere
    with a kubeconfig.
    """
    assembly.run_scheduler(assembly.SchedulerFlags(**flags))  # type: ignore[arg-type]
