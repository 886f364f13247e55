"""The options of every long-running part of a cluster: how it reaches the API, shows itself, and takes turns with its siblings."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from corral import assembly

_OPTIONS = (
    click.option(
        "--kubeconfig", default="", metavar="PATH", help="How to reach the API; by default the pod's own access."
    ),
    click.option(
        "--context", default="", metavar="NAME", help="A context of the kubeconfig other than its current one."
    ),
    click.option(
        "--metrics-bind-address", default=":8080", show_default=True, metavar="ADDRESS", help="/metrics; 0 for none."
    ),
    click.option(
        "--health-probe-bind-address",
        default=":8081",
        show_default=True,
        metavar="ADDRESS",
        help="/healthz and /readyz; 0 for none.",
    ),
    click.option(
        "--leader-elect/--no-leader-elect", default=True, show_default=True, help="Take turns with others by a lease."
    ),
    click.option(
        "--stale-after",
        type=click.FloatRange(min=1),
        default=90.0,
        show_default=True,
        metavar="SECONDS",
        help="Health fails when the server was not heard for so long.",
    ),
    click.option(
        "--log-format",
        type=click.Choice(["json", "text"]),
        default="text",
        show_default=True,
        help="Form of log lines.",
    ),
)


def part_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds these options to a command, which gets what they say as `part`."""

    @wraps(command)
    def gathered(**given: Any) -> None:
        said = {name: given.pop(name) for name in assembly.PartFlags._fields}
        command(part=assembly.PartFlags(**said), **given)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered
