"""What holds for every command: options that may stand before it or behind it, and the form of its help page.

Commands are declared without a word about this; their group prepares them when they are looked up.
"""

import click

from corral.surfaces.cli.calling.help_page import HelpfulContext
from corral.surfaces.cli.calling.name_checks import check_names
from corral.surfaces.cli.speech.manner import MANNER


def _debug(_: click.Context, __: click.Parameter, value: bool) -> None:
    MANNER.debug = MANNER.debug or value


def _no_input(_: click.Context, __: click.Parameter, value: bool) -> None:
    MANNER.no_input = MANNER.no_input or value


def _color(_: click.Context, __: click.Parameter, value: str | None) -> None:
    MANNER.color = value or MANNER.color


def everywhere_options() -> list[click.Option]:
    """Returns new options that every command takes."""
    return [
        click.Option(
            ["--debug"],
            is_flag=True,
            envvar="CORRAL_DEBUG",
            expose_value=False,
            callback=_debug,
            help="Show every request, and where an error comes from.",
        ),
        click.Option(
            ["--color"],
            type=click.Choice(["auto", "always", "never"]),
            expose_value=False,
            callback=_color,
            help="When to colour: auto is on a terminal, unless NO_COLOR is set.",
        ),
        click.Option(
            ["--no-input"],
            is_flag=True,
            expose_value=False,
            callback=_no_input,
            help="Never ask a question: fail, and name the flag that answers it.",
        ),
    ]


def prepared(command: click.Command) -> click.Command:
    """Returns the command with what holds everywhere; one that is prepared already stays as it is."""
    if command.context_class is HelpfulContext:
        return command
    command.context_class = HelpfulContext
    taken = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    for option in everywhere_options():
        if not taken.intersection(option.opts):
            command.params.append(option)
    check_names(command)
    if MANNER.completing:
        from corral.surfaces.cli.completion.sources import teach

        teach(command)
    return command
