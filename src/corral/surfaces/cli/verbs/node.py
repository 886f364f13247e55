"""`corral node`: this machine as a node of a cluster."""

import click

from corral import assembly
from corral.surfaces.cli.connection import api_options, chosen_api


@click.command()
@click.option("--name", metavar="NAME", default="", help="The name of the Node; that of this machine by default.")
@click.option(
    "--folder",
    metavar="FOLDER",
    default="",
    help="Where pods, logs and claims are kept; by default a folder of the context in Corral's home.",
)
@click.option(
    "--client-ca-file",
    metavar="FILE",
    default="",
    help="Who signs the certificate with which the API server asks for logs; without it, nobody is answered.",
)
@click.option(
    "--no-taint",
    is_flag=True,
    help="Make the Node without the taint corral.dev/process-node: pods that expect containers may come as well.",
)
@api_options
def node(name: str, folder: str, client_ca_file: str, no_taint: bool) -> None:
    """Join a cluster with this machine, until stopped.

    The Node is made with the taint corral.dev/process-node=true:NoSchedule, so that only pods come that tolerate it.

    Pods that the cluster binds to this node run as processes of the user who started it. Ending the node leaves them
    running; the same command finds them again.
    """
    choice = chosen_api()
    flags = assembly.NodeFlags(choice.kubeconfig, choice.context, name, folder, client_ca_file, not no_taint)
    assembly.run_node(flags)
