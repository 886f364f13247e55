"""The help page of a command: how it is called, what it does, examples, and its flags in groups."""

from inspect import cleandoc

import click

API_FLAGS = ("--namespace", "--context", "--kubeconfig")
"""Options that choose the API."""
EVERYWHERE_FLAGS = ("--debug", "--no-input", "--color", "--help")
"""Options that every command takes."""


class TitledCommand(click.Command):
    """A command that knows under which title each of its options stands."""

    def title_of(self, option: click.Option) -> str:
        """Returns the title of an option, "" for one that has none of its own."""
        return ""


class HelpfulContext(click.Context):
    """A context whose help is a page of ours."""

    def get_help(self) -> str:
        """Returns the help page of the command."""
        return help_page(self)


def help_page(ctx: click.Context) -> str:
    """Returns the help of a command; examples stand before everything that is longer than a line."""
    formatter = ctx.make_formatter()
    command = ctx.command
    command.format_usage(ctx, formatter)
    summary, examples, rest = told_apart(command.help or "")
    _write_text(formatter, summary)
    if examples:
        with formatter.section("Examples"):
            formatter.write_text(examples)
    _write_text(formatter, rest)
    if isinstance(command, click.Group):
        command.format_commands(ctx, formatter)
    command.format_arguments(ctx, formatter)
    for title, flags in grouped(command, ctx):
        with formatter.section(title):
            formatter.write_dl(flags)
    command.format_epilog(ctx, formatter)
    return formatter.getvalue().rstrip("\n")


def told_apart(text: str) -> tuple[str, str, str]:
    """Returns the first paragraph of a help text, its examples (what is marked as verbatim), and the rest."""
    first, *others = cleandoc(text).split("\n\n")
    examples = [one for one in others if one.startswith("\b")]
    rest = [one for one in others if not one.startswith("\b")]
    return first, "\n\n".join(examples), "\n\n".join(rest)


def grouped(command: click.Command, ctx: click.Context) -> list[tuple[str, list[tuple[str, str]]]]:
    """Returns the flags of a command under titles: its own, those that choose the API, and those of every command."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(ctx):
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
            groups.setdefault(_title(command, parameter), []).append(record)
    order = [title for title in groups if title not in (_WHICH_API, _EVERYWHERE)] + [_WHICH_API, _EVERYWHERE]
    return [(title, groups[title]) for title in order if title in groups]


_WHICH_API = "Which API"
_EVERYWHERE = "Everywhere"


def _title(command: click.Command, option: click.Option) -> str:
    if any(name in API_FLAGS for name in option.opts):
        return _WHICH_API
    if any(name in EVERYWHERE_FLAGS for name in option.opts):
        return _EVERYWHERE
    own = command.title_of(option) if isinstance(command, TitledCommand) else ""
    return own or "Options"


def _write_text(formatter: click.HelpFormatter, text: str) -> None:
    if text:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)
