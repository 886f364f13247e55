"""Help pages of all commands, of groups within groups too: no line is longer than a terminal of 80 columns."""

from collections.abc import Iterator

import click
import pytest

from corral.surfaces.cli.main import corral


def _commands(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Context]]:
    yield context.command_path, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, f"{context.command_path} {name} is in the table of commands, and nowhere else"
            yield from _commands(below, click.Context(below, info_name=name, parent=context))


PAGES = dict(_commands(corral, click.Context(corral, info_name="corral", terminal_width=80)))


@pytest.mark.parametrize("name", PAGES)
def test_no_line_of_a_help_page_is_longer_than_80_columns(name: str) -> None:
    lines = PAGES[name].command.get_help(PAGES[name]).splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert len(lines) > 3
