"""Groups of commands that know their members by name and import each when it is called."""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from corral.surfaces.cli.mistyped import Mistyped, told_near

if TYPE_CHECKING:
    from corral.surfaces.cli.commands import Elsewhere, Section


class LazyGroup(click.Group):
    """A group whose members stand in a table; a member `x` is the function `x` of the module `PACKAGE.x`.

    Dashes in names are underscores in Python: `traffic-split` is `traffic_split`.
    """

    def __init__(
        self,
        *,
        package: str,
        sections: "Mapping[str, Section]",
        elsewhere: "Mapping[str, Elsewhere] | None" = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self._elsewhere = {
            alias: (name, one) for name, one in (elsewhere or {}).items() for alias in (name, *one.aliases)
        }
        self.package = package
        self.sections = sections
        self._entries = {name: entry for section in sections.values() for name, entry in section.items()}
        self._names = {alias: name for name, entry in self._entries.items() for alias in (name, *entry.aliases)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order of the help page."""
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns the command of this name or alias, None when there is none."""
        name = self._names.get(cmd_name)
        if name is None:
            return None
        identifier = name.replace("-", "_")
        module = self._entries[name].module or f"{self.package}.{identifier}"
        command: click.Command = getattr(importlib.import_module(module), identifier)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command that the first word names; an unknown word is told what is near, or what to do instead."""
        if args and args[0] in self._elsewhere:
            name, one = self._elsewhere[args[0]]
            raise Mistyped(f"{ctx.command_path} {name} is not there: {one.why}", one.instead, ctx)
        if args and args[0] not in self._names:
            what = f'there is no command "{ctx.command_path} {args[0]}"'
            raise told_near(what, args[0], self._names, otherwise=f"`{ctx.command_path} --help` lists them", ctx=ctx)
        _, command, rest = super().resolve_command(ctx, args)
        return self._names[args[0]] if args else None, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the tables of commands, one for each section."""
        width = max(len(name) for name in self._entries)
        for title, section in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.help) for name, entry in section.items()])
