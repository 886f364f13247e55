"""Paths of a container in texts, replaced by those of this machine, where a container cannot have paths of its own.

Without mount namespaces a volume is only where it is. Then command, args, variables and mounted texts that name its mount
path are changed to name that place. Programs that have the path built in do not find it; the guide says so.
"""

import re
from collections.abc import Callable, Iterable

from corral.engine.node.containers.launch import Mount

# A path begins where no path goes on: not behind `a` in `a/data`, but behind `=`, `:`, a quote or `file://`.
_BEFORE = r"(?:(?<![\w./~@%+-])|(?<=file://))"
_AFTER = r"(?=/|[^\w./~@%+-]|\Z)"


def path_translation(mounts: Iterable[Mount]) -> Callable[[str], str]:
    """Returns a function that replaces mount paths in a text, at the borders of paths only, the longest first."""
    places = {mount.path.rstrip("/"): mount.source for mount in mounts if mount.path.strip("/")}
    places = {path: source for path, source in places.items() if path != source}
    if not places:
        return str
    longest_first = sorted(places, key=len, reverse=True)
    pattern = re.compile(_BEFORE + "(" + "|".join(map(re.escape, longest_first)) + ")" + _AFTER)
    return lambda text: pattern.sub(lambda found: places[found[1]], text)
