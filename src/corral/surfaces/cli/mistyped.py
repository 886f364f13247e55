"""Command lines that were not understood: one line on what is wrong, and a hint that can be typed."""

from collections.abc import Iterable

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
    from corral.control.desk.suggestions import did_you_mean

    return Mistyped(what, did_you_mean(word, known) or otherwise, ctx)


def hint_for(error: click.UsageError) -> str:
    """Returns how to go on after a command line was not understood."""
    if isinstance(error, Mistyped):
        return error.hint
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        from corral.control.desk.suggestions import did_you_mean

        known = [name for one in error.ctx.command.params for name in one.opts if not getattr(one, "hidden", False)]
        if near := did_you_mean(error.option_name, known):
            return near
    return f"`{error.ctx.command_path} --help` shows how it is used" if error.ctx is not None else ""


def message_of(error: click.ClickException) -> str:
    """Returns what click says, as one sentence that begins like ours."""
    said = error.message if isinstance(error, click.NoSuchOption) else error.format_message()
    text = " ".join(said.split()).removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
