"""The page about what the operator may do, from the data that its roles are made of."""

from corral.control.training.rights import RIGHTS, Right

_INTRODUCTION = """# What the operator may do

`corral operator` needs these rights and no others. A row without condition is always needed. With `--namespace NAME`
everything namespaced is asked for in that namespace only, so a Role there is enough; nodes are then optional: without
the right to read them, pods on lost nodes are not replaced, and `/readyz` says so without failing. All children but PodGroups
are listed and watched by the label `training.kubeflow.org/job-name`.

| API group | resources | verbs | when | why |
|---|---|---|---|---|
"""


def rights_page() -> str:
    """Returns the page."""
    return _INTRODUCTION + "".join(_row(right) for right in RIGHTS)


def _row(right: Right) -> str:
    group = f"`{right.group}`" if right.group else "(core)"
    resources = ", ".join(f"`{one}`" for one in right.resources)
    return f"| {group} | {resources} | {', '.join(right.verbs)} | {right.when} | {right.why} |\n"
