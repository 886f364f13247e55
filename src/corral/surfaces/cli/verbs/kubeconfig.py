"""`corral kubeconfig`."""

import click

from corral import assembly


@click.command()
def kubeconfig() -> None:
    """Print the path of the kubeconfig, for kubectl and other tools.

    \b
    export KUBECONFIG=$(corral kubeconfig)
    kubectl get namespaces

    The path is printed also when the file is missing, with an error on stderr and exit status 1: an empty answer would
    let the line above fall back to the default kubeconfig, and so perhaps to a cluster that matters.
    """
    click.echo(assembly.kubeconfig_path())
    assembly.refuse_missing_kubeconfig()
