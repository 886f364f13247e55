"""`corral top node`."""

from typing import TYPE_CHECKING

import click

from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say_painted, tell
from corral.surfaces.cli.words.output_form import OutputForm, output_option

if TYPE_CHECKING:
    from corral.control.desk.session import Session
    from corral.control.desk.top.measuring import Meter
    from corral.control.desk.top.node_lines import NodeLine

_MODES = {"n": "none", "e": "exclusive", "t": "topology", "s": "share"}


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-d", "--details", is_flag=True, help="Each node in full, with the pods that have its GPUs.")
@click.option("-r", "--refresh", is_flag=True, help="Again every two seconds, until interrupted.")
@click.option(
    "-m",
    "--gpu-mode",
    "mode",
    type=click.Choice([*_MODES, *_MODES.values()]),
    default=None,
    metavar="MODE",
    help="Only nodes whose GPUs are given out so: none, exclusive, topology, share, or their first letters.",
)
@click.option("--metric", is_flag=True, help="How busy GPUs are; not measured yet.")
@output_option()
@api_options
def node(
    names: tuple[str, ...], details: bool, refresh: bool, mode: str | None, metric: bool, output: OutputForm
) -> None:
    """Show nodes: GPUs there and given out, processors and memory in use.

    \b
    corral top node
    corral top node gpu-1 -d
    corral top node -m share -o json
    """
    from corral.control.desk.top.measuring import Meter
    from corral.surfaces.cli.acts.job_listing import note
    from corral.surfaces.cli.acts.refreshing import again_and_again

    if metric:
        tell("note: how busy GPUs are is not measured yet")
    with connected() as session:
        meter = Meter(session, on_note=note)
        again_and_again(
            lambda: _show(_lines(session, meter, names, _MODES.get(mode or "", mode or "")), names, details, output),
            refresh=refresh,
        )


def _lines(session: "Session", meter: "Meter", names: tuple[str, ...], mode: str) -> "list[NodeLine]":
    from corral.control.desk.cluster.nodes import nodes_in, pods_on_nodes
    from corral.control.desk.naming.suggestions import did_you_mean
    from corral.control.desk.top.node_lines import mode_of, node_lines
    from corral.kinds.nodes import FAKE_NODE
    from corral.ports.refusals import NotFoundError
    from corral.surfaces.cli.acts.job_listing import note

    nodes = nodes_in(session)
    known = [one.name for one in nodes]
    for name in names:
        if name not in known:
            raise NotFoundError(
                f'there is no node "{name}"', hint=did_you_mean(name, known) or "`corral top node` lists them"
            )
    chosen = [one for one in nodes if (not names or one.name in names) and (not mode or mode_of(one) == mode)]
    measurable = [one.name for one in chosen if one.is_ready and one.metadata.labels.get(FAKE_NODE) != "true"]
    return node_lines(chosen, pods_on_nodes(session, on_note=note), meter.nodes(measurable))


def _show(lines: "list[NodeLine]", names: tuple[str, ...], details: bool, output: OutputForm) -> None:
    from corral.surfaces.cli.render.terminal import surroundings
    from corral.surfaces.cli.render.top_nodes import node_details, node_summary

    if not output.is_for_people:
        from corral.surfaces.cli.render.objects import say_data

        gpus = {"total": sum(line.gpus for line in lines), "allocated": sum(line.gpus_allocated or 0 for line in lines)}
        document = {"nodes": [line.document() for line in lines], "gpus": gpus}
        say_data(document, [f"node/{line.name}" for line in lines], output)
    elif not lines:
        tell("no such nodes")
    elif details:
        say_painted(node_details(lines, surroundings()))
    else:
        say_painted(node_summary(lines, surroundings(), with_total=not names))
