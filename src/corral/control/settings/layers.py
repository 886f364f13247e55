"""Which of several places counts for a setting: the first that says something, nearest to the command first.

Flags, then variables, then the file of the project, then `corral use`, then the user's file, then Arena's, then what
holds when nobody says anything.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corral.control.settings.table import SETTINGS, checked


class Said(NamedTuple):
    """A value and where it was said, in words for people."""

    value: str
    origin: str


NOTHING_SAID = Said("", "default")

Layer = Mapping[str, Said]
"""What one place says, by the names of settings."""


def flags_layer(given: Mapping[str, str]) -> Layer:
    """Returns what the options of a command say; "" is not said."""
    flags = {one.name: one.flag for one in SETTINGS}
    return {name: Said(value, flags[name]) for name, value in given.items() if value}


def variables_layer(environ: Mapping[str, str]) -> Layer:
    """Returns what the environment says; an empty variable says nothing."""
    found: dict[str, Said] = {}
    for one in SETTINGS:
        if one.variable and (value := environ.get(one.variable, "")):
            if one.name == "no-input":
                value = "false" if value.lower() in ("0", "false", "no") else "true"
            found[one.name] = Said(checked(one, value, one.variable), one.variable)
    return found


def file_layer(values: Mapping[str, str], path: str) -> Layer:
    """Returns what a file says."""
    return {name: Said(value, path) for name, value in values.items() if value}


class Settings(NamedTuple):
    """The layers of one command, nearest first, and what Arena's file says, which is about clusters only."""

    layers: Sequence[Layer]
    arena: Layer = {}  # noqa: RUF012 - a NamedTuple keeps its defaults, and nobody writes into a Mapping

    def of(self, name: str, *, on_cluster: bool = True) -> Said:
        """Returns what counts for a setting."""
        layers = (*self.layers, self.arena) if on_cluster else self.layers
        return next((layer[name] for layer in layers if name in layer), NOTHING_SAID)

    def list_of(self, name: str) -> tuple[str, ...]:
        """Returns what counts for a setting that is a list."""
        return tuple(word for part in self.of(name).value.split(",") if (word := part.strip()))
