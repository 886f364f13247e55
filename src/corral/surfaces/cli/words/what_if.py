"""The options that say what would be otherwise in a simulation of a cluster."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from corral.surfaces.cli.words.output_form import DATA_FORMS, output_option
from corral.surfaces.cli.words.seeds import SeedsType

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--add-nodes", type=click.IntRange(1, 10_000), metavar="NUMBER", help="More nodes; with --like."),
    click.option("--like", default="", metavar="NODE", help="The node that --add-nodes copies, empty and open."),
    click.option(
        "--without-node", "without_nodes", multiple=True, metavar="NODE", help="A node less; its pods wait again."
    ),
    click.option("--cordon", multiple=True, metavar="NODE", help="A node that takes nobody new."),
    click.option("--uncordon", multiple=True, metavar="NODE", help="A cordoned node that takes pods again."),
    click.option(
        "--queue",
        "queues",
        multiple=True,
        metavar="QUEUE.TERM.RESOURCE=AMOUNT",
        help="Another guarantee, limit, lending or borrowing; no AMOUNT means no bound. Or QUEUE.weight=NUMBER.",
    ),
    click.option(
        "--without-job", "without_jobs", multiple=True, metavar="JOB", help="As if it had ended, or were suspended."
    ),
    click.option(
        "--policy", default="default", show_default=True, metavar="NAME", help="default, fgd, bestfit or random."
    ),
    click.option(
        "--seeds",
        type=SeedsType(),
        default="42-51",
        show_default=True,
        metavar="SEEDS",
        help="Draws of run times for how long jobs wait: 42-51, or 1,2,7.",
    ),
    click.option(
        "--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the report, such as what-if.png."
    ),
    output_option(*DATA_FORMS),
)


def what_if_options(command: F) -> F:
    """Adds what can be otherwise."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
