"""`corral kubeconfig`."""

import click

from corral import assembly


@click.command()
def kubeconfig() -> None:
    """Print the path of the kubeconfig, for kubectl and other tools.

    \b
    export KUBECONFIG=$(corral kubeconfig)
    kubectl get namespaces
    """
    click.echo(assembly.kubeconfig_path())
