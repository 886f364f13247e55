"""`corral up`."""

import shlex

import click

from corral import assembly
from corral.surfaces.cli.render.output import tell
from corral.surfaces.cli.render.plain import table

INTERRUPTED_TEXT = (
    "interrupted; Corral goes on starting in the background\n"
    "hint: `corral status` shows how far it is, `corral down` stops it"
)


@click.command()
@click.option("--api-only", is_flag=True, help="Only the API server: no controllers, no scheduler, no node.")
@click.option("--no-node", is_flag=True, help="With controllers, but no node: pods stay Pending.")
@click.option(
    "--fake-nodes",
    metavar="COUNTxGPUS[:MODEL]",
    multiple=True,
    help="Nodes that only play their pods, to try the scheduler: 100x8:V100. May be given several times, for a mix. "
    "Kept for later starts; `none` takes them away.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Port on 127.0.0.1; kept for later starts. By default the last one, or a free one.",
)
def up(api_only: bool, no_node: bool, fake_nodes: tuple[str, ...], port: int | None) -> None:
    """Start Corral on this machine.

    Returns when the API answers. Calling it again is harmless; with other flags it starts and stops what is needed.
    """
    try:
        outcome = assembly.start_embedded(
            api_only=api_only, no_node=no_node, fake_nodes=fake_nodes, port=port, on_wait=tell
        )
    except KeyboardInterrupt:
        click.echo(INTERRUPTED_TEXT, err=True)
        raise
    state = "already up" if outcome.was_running else f"up, ready in {outcome.seconds * 1000:.0f} ms"
    click.echo(f"Corral is {state}: {outcome.address}")
    click.echo(table([(name, f"pid {pid}") for name, pid in outcome.processes], indent="  "))
    click.echo(f"\nexport KUBECONFIG={shlex.quote(outcome.kubeconfig)}\nkubectl get namespaces")
    for note in outcome.notes:
        click.echo(f"note: {note}", err=True)
