"""`corral operator`."""

import click

from corral import assembly
from corral.surfaces.cli.calling.cluster_part import part_options


def _not_needed(_: click.Context, option: click.Parameter, value: int | None) -> None:
    """Accepts a flag of the training operator that has nothing to set here, and says so."""
    if value is not None:
        click.echo(f"note: {option.opts[0]} is not needed: the pace is set by the API server", err=True)


@click.command()
@click.option(
    "--namespace",
    default="",
    envvar="KUBEFLOW_NAMESPACE",
    metavar="NAME",
    help="Look only at this namespace; also KUBEFLOW_NAMESPACE. All by default.",
)
@click.option(
    "--enable-kind",
    "--enable-scheme",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Look only after this kind, such as TFJob, in any case; repeatable. All by default.",
)
@click.option(
    "--gang-scheduler-name",
    default="",
    metavar="NAME",
    help="Announce gangs to this scheduler: volcano, or one with scheduler-plugins.",
)
@click.option(
    "--pytorch-init-container-image",
    default="",
    metavar="IMAGE",
    help="Image of the container that waits for a PyTorchJob's master; by default that of the job itself.",
)
@click.option(
    "--pytorch-init-container-max-tries",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="N",
    help="How often it looks for the master.",
)
@click.option(
    "--mpi-kubectl-delivery-image",
    default="mpioperator/kubectl-delivery:latest",
    show_default=True,
    metavar="IMAGE",
    help="Image that brings kubectl to the launcher of a v1 MPIJob.",
)
@click.option(
    "--lost-node-grace",
    type=click.FloatRange(min=10),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a node may be gone or silent before its pods are given up.",
)
@click.option("--controller-threads", type=int, hidden=True, callback=_not_needed, expose_value=False)
@click.option("--qps", type=int, hidden=True, callback=_not_needed, expose_value=False)
@click.option("--burst", type=int, hidden=True, callback=_not_needed, expose_value=False)
@part_options
def operator(**flags: object) -> None:
    """Look after training jobs of a cluster, until stopped.

    Runs in a pod with its service account, or anywhere with a kubeconfig. The definitions of the training kinds must be
    installed; a kind that is missing is waited for.
    """
    assembly.run_operator(assembly.OperatorFlags(**flags))  # type: ignore[arg-type]
