"""`corral simulate trace`."""

from pathlib import Path
from typing import Any

import click

from corral import assembly
from corral.surfaces.cli.render.objects import say_data
from corral.surfaces.cli.render.output import say
from corral.surfaces.cli.words.output_form import DATA_FORMS, OutputForm, output_option
from corral.surfaces.cli.words.seeds import SeedsType

_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--nodes", required=True, type=_FILE, metavar="FILE", help="Nodes: sn,cpu_milli,memory_mib,gpu,model.")
@click.option(
    "--pods",
    required=True,
    type=_FILE,
    metavar="FILE",
    help="Pods: name,cpu_milli,memory_mib,num_gpu,gpu_milli, and gpu_spec with the models that will do.",
)
@click.option(
    "--inflate",
    type=click.FloatRange(0, 100, min_open=True),
    default=1.3,
    show_default=True,
    metavar="TIMES",
    help="How much of all GPUs arrives: pods of the trace are repeated or left out at random.",
)
@click.option(
    "--seeds",
    type=SeedsType(),
    default="42-51",
    show_default=True,
    metavar="SEEDS",
    help="One run for each: 42-51, or 1,2,7.",
)
@click.option(
    "--policy",
    default="default",
    show_default=True,
    metavar="NAME",
    help="default, fgd, bestfit or random.",
)
@click.option(
    "--mix",
    type=click.Choice(["known", "observed"]),
    default="known",
    show_default=True,
    help="Whether the policy knows which pods come, as after a long time, or learns it from nothing.",
)
@click.option(
    "--churn",
    type=click.FloatRange(0, 100, min_open=True),
    metavar="LOAD",
    help="Also let pods come and go at this load, 1 being as much as there is, and count who is rejected.",
)
@click.option("--bound/--no-bound", default=True, help="Also compute what no scheduler can pass; takes longer.")
@click.option("--plot", type=_FILE, metavar="FILE", help="Draw the report into this file, such as trace.png.")
@output_option(*DATA_FORMS)
def trace(
    nodes: Path,
    pods: Path,
    inflate: float,
    seeds: tuple[int, ...],
    policy: str,
    mix: str,
    churn: float | None,
    bound: bool,
    plot: Path | None,
    output: OutputForm,
) -> None:
    """Replay a trace: how much of the GPUs a policy can give out, and who does not fit.

    \b
    corral simulate trace --nodes nodes.csv --pods pods.csv
    corral simulate trace --nodes n.csv --pods p.csv --policy fgd --churn 0.9

    Pods arrive in random order until 1.3 times all GPUs were asked for; whoever does not fit is dropped. The files have the form
    of Alibaba's published traces of GPU clusters.
    """
    flags = assembly.TraceFlags(nodes, pods, inflate, seeds, policy, churn, bound, plot, mix)
    report: dict[str, Any] = assembly.simulate_trace(flags)
    if output.is_for_people:
        from corral.surfaces.cli.render.simulated import trace_summary

        say(trace_summary(report))
    else:
        say_data(report, [f"policy/{policy}"], output)
