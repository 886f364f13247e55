"""The pages about what the operator and the scheduler may do, from the data that their roles are made of."""

from collections.abc import Iterable

from corral.control.rights import Right
from corral.control.scheduling.rights import RIGHTS as SCHEDULER_RIGHTS
from corral.control.training.rights import RIGHTS as OPERATOR_RIGHTS

_OPERATOR = """# What the operator may do

`corral operator` needs these rights and no others. A row without condition is always needed. With `--namespace NAME`
everything namespaced is asked for in that namespace only, so a Role there is enough; nodes are then optional: without
the right to read them, pods on lost nodes are not replaced, and `/readyz` says so without failing. All children but PodGroups
are listed and watched by the label `training.kubeflow.org/job-name`.
"""
_SCHEDULER = """# What the scheduler may do

`corral scheduler` needs these rights and no others. A row without condition is always needed, in all namespaces but for
config maps and leases, for which a Role in the namespace of the scheduler (`--namespace NAME`) is enough. What it may not do it
goes without where that is safe: without the right to patch jobs nothing moves, without the right to patch the status of queues
they say nothing, and an event or the log says so. Without the right to list queues there are none, and no team has a guarantee:
`/readyz` names what it may not list.
"""
_HEAD = """
| API group | resources | verbs | when | why |
|---|---|---|---|---|
"""


def operator_page() -> str:
    """Returns the page about the operator."""
    return _OPERATOR + _HEAD + _rows(OPERATOR_RIGHTS)


def scheduler_page() -> str:
    """Returns the page about the scheduler."""
    return _SCHEDULER + _HEAD + _rows(SCHEDULER_RIGHTS)


def _rows(rights: Iterable[Right]) -> str:
    return "".join(_row(right) for right in rights)


def _row(right: Right) -> str:
    group = f"`{right.group}`" if right.group else "(core)"
    resources = ", ".join(f"`{one}`" for one in right.resources)
    return f"| {group} | {resources} | {', '.join(right.verbs)} | {right.when} | {right.why} |\n"
