"""What a flag is, as data: its names, the kind of its value, and the field of a submission that it fills."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from corral.kinds.submission import spelling


class Value(NamedTuple):
    """A kind of values: how it is shown, how one text is read, and how several become one."""

    shown: str
    read: Callable[[str], Any]
    gather: Callable[[Iterable[Any]], Any] | None = None
    """None when the last one given counts."""
    alone: str = ""
    """What the flag means where no value follows; "" when one must."""
    follows: str = ""
    """The form of a word that is the value when it follows without `=`; any other word stands for itself."""


def chosen(*words: str) -> Value:
    """Returns the kind of values that are one of a few words."""
    return Value("|".join(words), partial(spelling.one_of, words))


TEXT = Value("TEXT", str)
IMAGE = Value("IMAGE", str)
NAME = Value("NAME", str)
AMOUNT = Value("AMOUNT", str)
PATH = Value("PATH", str)
COUNT = Value("N", spelling.count)
PORT = Value("PORT", spelling.count)
TIME = Value("TIME", spelling.seconds)
SWITCH = Value("", spelling.switch)
QUEUE = Value("[NAME]", spelling.queue, alone="true", follows=spelling.QUEUE_FORM)
PAIRS = Value("KEY=VALUE", spelling.pair, dict)
NAMES = Value("NAME", str, tuple)


class Flag(NamedTuple):
    """One row of the table."""

    name: str
    field: str
    """Where its value goes in a submission: `gpus`, `worker.cpu`; nothing for one that is refused."""
    value: Value
    help: str
    short: str = ""
    also: tuple[str, ...] = ()
    """Spellings that do not follow from the name."""
    refused: str = ""
    """What to do instead, for a flag that Arena takes and that nobody could honour here."""

    @property
    def key(self) -> str:
        """Returns the name as Python writes it."""
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def spellings(self) -> tuple[str, ...]:
        """Returns every way to write it: in camel case as well, as Arena's early versions had it."""
        camel = re.sub(r"(?<=\w)-(\w)", lambda found: found[1].upper(), self.name)
        return tuple(dict.fromkeys(one for one in (self.name, camel, self.short, *self.also) if one))

    @property
    def is_switch(self) -> bool:
        """Whether it stands alone."""
        return self.value is SWITCH
