"""Command lines that were not understood: one line on what is wrong, and a hint that can be typed."""

from collections.abc import Iterable, Iterator

import click


class Mistyped(click.UsageError):
    """A usage error with a hint of its own."""

    def __init__(self, message: str, hint: str, ctx: click.Context | None = None) -> None:
        super().__init__(message, ctx)
        self.hint = hint


def told_near(
    what: str, word: str, known: Iterable[str], *, otherwise: str, ctx: click.Context | None = None
) -> Mistyped:
    """Returns the error for a word that is not among those known, with the nearest of them as its hint."""
    return Mistyped(what, _near(word, known) or otherwise, ctx)


def _near(word: str, known: Iterable[str]) -> str:
    from corral.control.desk.naming.suggestions import did_you_mean

    return did_you_mean(word, known)


def hint_for(error: click.UsageError) -> str:
    """Returns how to go on after a command line was not understood."""
    if isinstance(error, Mistyped):
        return error.hint
    if error.ctx is None:
        return "the same line with --help shows how it is used"
    found = ""
    if isinstance(error, click.NoSuchOption):
        found = _about_option(error.ctx, error.option_name)
    elif isinstance(error, click.MissingParameter):
        return f"`{_usage(error.ctx)}`"
    elif isinstance(error, click.BadParameter) and error.param is not None:
        found = _near(_refused_word(error), _choices(error.param.type))
    return found or f"`{error.ctx.command_path} --help` shows how it is used"


def _choices(kind: object) -> list[str]:
    """Returns the words that a type of values knows, none when it takes others too."""
    known = getattr(kind, "choices", ()) or getattr(kind, "forms", ())
    return [str(word) for word in known]


def _about_option(ctx: click.Context, name: str) -> str:
    if near := _near(name, _flags(ctx.command)):
        return near
    if ctx.parent is None:
        return f"{name} stands behind a command, if it takes it: `corral COMMAND {name} ...`"
    owners = _owners(ctx.find_root(), name)
    if not owners:
        return ""
    listed = ", ".join(owners[:-1]) + " and " + owners[-1] if len(owners) > 1 else owners[0]
    return f"{name} belongs to {listed}" if len(owners) <= 4 else f"{name} belongs to {', '.join(owners[:3])}, ..."


def _owners(root: click.Context, name: str) -> list[str]:
    """Returns the commands that have an option; of a group that has it several times, the group."""
    found: dict[str, list[str]] = {}
    for path, command in _all_commands(root):
        if name in _flags(command):
            found.setdefault(path.partition(" ")[0], []).append(path)
    return [paths[0] if len(paths) == 1 else first for first, paths in found.items()]


def _flags(command: click.Command) -> list[str]:
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    return [name for one in options for name in (*one.opts, *one.secondary_opts)]


def _all_commands(ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    """Yields every command by its words; all are imported for it, which only a command that fails pays for."""
    group = ctx.command
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is None:
            continue
        path = " ".join([*ctx.command_path.split()[1:], name])
        yield path, command
        yield from _all_commands(click.Context(command, info_name=name, parent=ctx))


def _usage(ctx: click.Context) -> str:
    """Returns how a command is called, with the options that it must have."""
    must = [one for one in ctx.command.params if isinstance(one, click.Option) and one.required and not one.hidden]
    options = [f"{one.opts[-1]} {one.make_metavar(ctx)}" for one in must]
    words = [one.make_metavar(ctx) for one in ctx.command.params if isinstance(one, click.Argument)]
    return " ".join([ctx.command_path, *options, *words])


def _refused_word(error: click.BadParameter) -> str:
    """Returns the word that is none of the choices, which click tells in its message only."""
    quoted = error.message.partition("'")[2]
    return quoted.partition("'")[0]


def message_of(error: click.ClickException) -> str:
    """Returns what click says, as one sentence that begins like ours."""
    said = error.message if isinstance(error, click.NoSuchOption) else error.format_message()
    text = " ".join(said.split()).removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
