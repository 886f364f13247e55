"""`corral install`."""

import click

from corral import assembly
from corral.surfaces.cli.connection import api_options, chosen_api


@click.command()
@click.option("--dry-run", is_flag=True, help="Print them as YAML instead, for `kubectl apply --server-side -f -`.")
@api_options
def install(dry_run: bool) -> None:
    """Put the definitions of the training kinds on a cluster.

    Applies them on the server's side; calling it again changes nothing that is already so.
    """
    manifests = assembly.install_manifests()
    if dry_run:
        import yaml

        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        click.echo(yaml.dump_all(manifests, Dumper=dumper, sort_keys=False, explicit_start=True), nl=False)
        return

    def name_target(target: str) -> None:
        click.echo(f"installing on {target}", err=True)

    def tell(change: str, what: str, note: str) -> None:
        click.echo(f"{change:<11} {what}{f': {note}' if note else ''}")

    choice = chosen_api()
    assembly.install(choice.kubeconfig, choice.context, on_target=name_target, on_done=tell, manifests=manifests)
