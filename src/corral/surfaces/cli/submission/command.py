"""A command of click made from rows of the table: its options, its help page, and the reading of old spellings."""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from corral.surfaces.cli.calling.help_page import TitledCommand
from corral.surfaces.cli.speech.mistyped import Mistyped, hint_for, message_of
from corral.surfaces.cli.submission.flag import Flag


class FlagCommand(TitledCommand):
    """A command with the flags of a type of jobs, and whatever options it has besides.

    What click sees are names and values in one form: `--syncMode git` has become `--sync-mode git`, `--gang=true` has
    become `--gang`, and `--gang=false` is gone.
    """

    def __init__(self, *, sections: Mapping[str, Sequence[Flag]], **settings: Any) -> None:
        self.sections = sections
        self.flags = [flag for flags in sections.values() for flag in flags]
        params = [*(_option(flag) for flag in self.flags), *settings.pop("params", [])]
        super().__init__(params=params, **settings)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the words; an option that nobody knows may be one of the job's own command."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        try:
            return super().parse_args(ctx, in_one_form(self.flags, args))
        except click.NoSuchOption as error:
            near = hint_for(error)
            own = "flags of your own command stand in quotes with it, or behind `--`"
            # `--num-workers` may be ours, mistyped, or the script's.
            hint = f"{near} {own[0].upper()}{own[1:]}" if near.startswith("did you") else own
            raise Mistyped(message_of(error), hint, ctx) from error

    def title_of(self, option: click.Option) -> str:
        """Returns the section of the table that a flag stands in."""
        return next((title for title, flags in self.sections.items() for flag in flags if flag.key == option.name), "")


def _option(flag: Flag) -> click.Option:
    names = [flag.name, *([flag.short] if flag.short else []), flag.key]
    if flag.is_switch:
        return click.Option(names, is_flag=True, default=None, help=flag.help, hidden=bool(flag.refused))
    return click.Option(
        names,
        multiple=flag.value.gather is not None,
        metavar=flag.value.shown,
        help=flag.help,
        hidden=bool(flag.refused),
    )


def in_one_form(flags: Iterable[Flag], args: Sequence[str]) -> list[str]:
    """Returns the words of a command line with every flag in its present spelling, and switches without a value."""
    known = {spelling: flag for flag in flags for spelling in flag.spellings}
    switched: dict[str, bool] = {}
    kept: list[str] = []
    words = deque(args)
    while words:
        word = words.popleft()
        if word == "--":
            kept += [word, *words]
            break
        name, sign, value = word.partition("=")
        flag = known.get(name)
        if flag is None:
            kept.append(word)
        elif flag.is_switch:
            switched[flag.name] = _switched(flag, value) if sign else True
        elif sign:
            kept.append(f"{flag.name}={value}")
        elif flag.value.alone:
            is_given = bool(words) and re.fullmatch(flag.value.follows, words[0]) is not None
            kept.append(f"{flag.name}={words.popleft() if is_given else flag.value.alone}")
        else:
            kept += [flag.name, *([words.popleft()] if words else [])]
    return [*(name for name, is_on in switched.items() if is_on), *kept]


def _switched(flag: Flag, text: str) -> bool:
    try:
        return bool(flag.value.read(text))
    except ValueError as error:
        raise Mistyped(f"{flag.name}: {error}", f"write {flag.name}, or {flag.name}=false") from error
