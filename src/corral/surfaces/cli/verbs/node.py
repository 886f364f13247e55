"""`corral node`: this machine as a node of a cluster."""

import click

from corral import assembly


@click.command()
@click.option("--kubeconfig", metavar="FILE", default="", help="How to reach the API; $KUBECONFIG by default.")
@click.option("--context", metavar="NAME", default="", help="A context other than the current one.")
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
def node(kubeconfig: str, context: str, name: str, folder: str, client_ca_file: str) -> None:
    """Join a cluster with this machine, until stopped.

    Pods that the cluster binds to this node run as processes of the user who started it. Ending the node leaves them
    running; the same command finds them again.
    """
    flags = assembly.NodeFlags(kubeconfig, context, name, folder, client_ca_file)
    assembly.run_node(flags)
