"""Two states of an object as a unified diff of their YAML."""

from difflib import unified_diff
from typing import Any

from corral.surfaces.cli.render.objects import written
from corral.surfaces.cli.render.terminal import Surroundings

_COLOURS = {"+": 32, "-": 31, "@": 36}


def differences(name: str, before: dict[str, Any] | None, after: dict[str, Any], around: Surroundings) -> str:
    """Returns what would be another line, with three lines around it; what is not there yet is all new."""
    old = [] if before is None else written(before, "yaml").splitlines()
    lines = unified_diff(old, written(after, "yaml").splitlines(), f"now/{name}", f"then/{name}", lineterm="")
    return "\n".join(_painted(around.safe(line), around) for line in lines)


def _painted(line: str, around: Surroundings) -> str:
    colour = _COLOURS.get(line[:1])
    return f"\x1b[{colour}m{line}\x1b[0m" if around.is_coloured and colour else line
