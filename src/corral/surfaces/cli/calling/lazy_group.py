"""Groups of commands: they tell what is near a word that they do not know, and import a member when it is called."""

import importlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from corral.surfaces.cli.calling.everywhere import prepared
from corral.surfaces.cli.speech.mistyped import Mistyped, told_near

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from corral.surfaces.cli.commands import Elsewhere, Section


class TellingGroup(click.Group):
    """A group that tells what is near a word that it does not know."""

    def words(self) -> Iterable[str]:
        """Returns everything that may be typed behind the group."""
        return self.commands

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command that the first word names; an unknown word is told what is near."""
        if args and args[0] not in self.words():
            what = f'there is no command "{ctx.command_path} {args[0]}"'
            raise told_near(what, args[0], self.words(), otherwise=f"`{ctx.command_path} --help` lists them", ctx=ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns the command of this name, None when there is none."""
        command = super().get_command(ctx, cmd_name)
        return prepared(command) if command is not None else None


class LazyGroup(TellingGroup):
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

    def words(self) -> Iterable[str]:
        """Returns the names and aliases of all members."""
        return self._names

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order of the help page."""
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns the command of this name or alias, None when there is none."""
        name = self._names.get(cmd_name)
        return prepared(self.load(name)) if name is not None else None

    def load(self, name: str) -> click.Command:
        """Returns the member of this name, imported or made now."""
        identifier = name.replace("-", "_")
        module = self._entries[name].module or f"{self.package}.{identifier}"
        command: click.Command = getattr(importlib.import_module(module), identifier)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command that the first word names, by its own name; what is known only by name says what to do instead."""
        if args and args[0] in self._elsewhere:
            name, one = self._elsewhere[args[0]]
            raise Mistyped(f"{ctx.command_path} {name} is not there: {one.why}", one.instead, ctx)
        typed, command, rest = super().resolve_command(ctx, args)
        return self._names.get(typed or "", typed), command, rest

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Returns the members that begin so, from the table alone; an alias only when no name does."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=entry.help)
            for name, entry in self._entries.items()
            if name.startswith(incomplete)
        ]
        if not found:
            found = [
                CompletionItem(alias, help=self._entries[name].help)
                for alias, name in self._names.items()
                if alias.startswith(incomplete)
            ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the tables of commands, one for each section."""
        width = max(len(name) for name in self._entries)
        for title, section in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.help) for name, entry in section.items()])
