"""`$(VAR)` in the command and args of a container, and in the commands of its probes and hooks."""

from collections.abc import Iterable, Mapping

from corral.engine.node.expansion import expand_all
from corral.kinds.objects import Object


def expanded_command(container: Object, values: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns command and args with the container's variables in place; an unknown reference stays as written."""
    return expand_all(container.get("command") or (), values), expand_all(container.get("args") or (), values)


def expanded_action(command: Iterable[str], container: Object) -> tuple[str, ...]:
    """Returns the command of a probe; it knows only the plain values of the container, as on a cluster."""
    values = {entry["name"]: entry.get("value") or "" for entry in container.get("env") or ()}
    return expand_all(command, values)
