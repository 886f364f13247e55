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
@api_options
def node(name: str, folder: str, client_ca_file: str) -> None:
    """Join a cluster with this machine, until stopped.

    Pods that the cluster binds to this node run as processes of the user who started it. Ending the node leaves them
    running; the same command finds them again.
    """
    choice = chosen_api()
    flags = assembly.NodeFlags(choice.kubeconfig, choice.context, name, folder, client_ca_file)
    assembly.run_node(flags)
