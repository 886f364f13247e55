"""What a real server serves, as it says itself: the ground of the matrix. Recorded once, and compared with a live one."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from corral.testing.contracts.kubernetes_api.server import Server
from corral.testing.contracts.kubernetes_api.story import TAKEN

FILE = Path(__file__).parent / "discovery.json"
"""Written by `python -m tools.conformance discover`."""


@dataclass(frozen=True, order=True)
class Served:
    """One resource, or subresource, of one version."""

    group: str
    version: str
    plural: str
    subresource: str
    kind: str
    namespaced: bool
    verbs: tuple[str, ...]
    kind_of_object: str
    """The kind of the object itself, which is not that of every subresource."""

    @property
    def api_version(self) -> str:
        """Returns `v1` or `apps/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def title(self) -> str:
        """Returns `pods/status` or `deployments.apps/v1/scale`."""
        name = f"{self.plural}.{self.group}/{self.version}" if self.group else self.plural
        return f"{name}/{self.subresource}" if self.subresource else name

    def collection(self, namespace: str) -> str:
        """Returns the path of the collection in a namespace, or of all of it."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        within = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{within}/{self.plural}"


@cache
def served() -> tuple[Served, ...]:
    """Returns everything that the recorded real server serves."""
    return resources_in(json.loads(FILE.read_text()))


def discover(server: Server) -> list[dict[str, Any]]:
    """Returns the groups of a live server, the core group first, without what only tells how fresh they are."""
    groups: list[dict[str, Any]] = []
    for path in ("/api", "/apis"):
        found = json.loads(server.ask("GET", path, headers={"Accept": TAKEN["aggregated"]}).content)
        groups += found["items"]
    for group in groups:
        group["metadata"].pop("creationTimestamp", None)
    return groups


def resources_in(groups: list[dict[str, Any]]) -> tuple[Served, ...]:
    """Returns the resources and subresources of groups."""
    found = []
    for group in groups:
        name = group["metadata"].get("name", "")
        for version in group["versions"]:
            for resource in version["resources"]:
                found += _below(name, version["version"], resource)
    return tuple(found)


def _below(group: str, version: str, resource: dict[str, Any]) -> list[Served]:
    plural, namespaced, own = resource["resource"], resource["scope"] == "Namespaced", resource["responseKind"]["kind"]
    made = [Served(group, version, plural, "", own, namespaced, tuple(sorted(resource["verbs"])), own)]
    for below in resource.get("subresources", ()):
        verbs, kind = tuple(sorted(below["verbs"])), below["responseKind"]["kind"]
        made.append(Served(group, version, plural, below["subresource"], kind, namespaced, verbs, own))
    return made
