"""A right of a program on a cluster, as data: from such data come the pages for readers and the roles of an installation."""

from collections.abc import Iterable
from typing import NamedTuple

from corral.kinds.objects import Object


class Right(NamedTuple):
    """One line: verbs on resources of an API group, when they are needed, and what for."""

    group: str
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    when: str
    why: str


def cluster_role(name: str, rights: Iterable[Right]) -> Object:
    """Returns the ClusterRole that gives these rights and no others."""
    rules = [{"apiGroups": [one.group], "resources": [*one.resources], "verbs": [*one.verbs]} for one in rights]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": rules,
    }
