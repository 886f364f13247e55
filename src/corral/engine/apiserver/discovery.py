"""Discovery: which groups, versions and resources there are, in the classic and in the aggregated form. Pure."""

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from corral.engine.apiserver.resources.resource import Resource

AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

_SUBRESOURCES: dict[str, tuple[tuple[str, ...], tuple[str, str, str] | None]] = {
    "status": (("get", "patch", "update"), None),
    "scale": (("get", "patch", "update"), ("autoscaling", "v1", "Scale")),
    "binding": (("create",), ("", "", "Binding")),
    "log": (("get",), None),
    "attach": (("create", "get"), ("", "", "PodAttachOptions")),
    "exec": (("create", "get"), ("", "", "PodExecOptions")),
    "finalize": (("update",), None),
}
"""The verbs of each subresource, and its kind where it is not that of the resource."""

GROUP_ORDER = (
    "apps",
    "events.k8s.io",
    "autoscaling",
    "batch",
    "rbac.authorization.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
)


def wants_aggregated(accept: str) -> bool:
    """Says whether a client asks for the aggregated form first."""
    return accept.replace(" ", "").startswith(AGGREGATED_TYPE)


def is_of_kubernetes(path: str) -> bool:
    """Says whether a path lies where Kubernetes itself defines what there is, so that its absence is worth a Status."""
    parts = path.split("/")[1:]
    group = parts[1] if len(parts) > 2 and parts[0] == "apis" else ""
    return parts[0] == "api" or (bool(group) and ("." not in group or group.endswith(".k8s.io")))


def groups(resources: Iterable[Resource]) -> dict[str, dict[str, list[Resource]]]:
    """Returns resources by group and version; named groups in the real server's order, newest version first."""
    found: dict[str, dict[str, list[Resource]]] = {}
    for resource in resources:
        found.setdefault(resource.group, {}).setdefault(resource.version, []).append(resource)
    names = sorted(found, key=lambda g: (GROUP_ORDER.index(g) if g in GROUP_ORDER else len(GROUP_ORDER), g))
    return {g: {v: found[g][v] for v in sorted(found[g], key=version_rank)} for g in names}


def version_rank(version: str) -> tuple[int, int, int, str]:
    """Returns the sort key of a version: v2 before v1 before v1beta2 before v1alpha1 before everything else."""
    head, _, tail = version.removeprefix("v").partition("beta")
    stage = 1 if tail else 0
    if not tail:
        head, _, tail = version.removeprefix("v").partition("alpha")
        stage = 2 if tail else 0
    if not version.startswith("v") or not head.isdigit() or (stage and not tail.isdigit()):
        return (3, 0, 0, version)
    return (stage, -int(head), -int(tail or 0), version)


def api_versions(address: str) -> dict[str, Any]:
    """Returns the document at /api."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def api_group(group: str, versions: Iterable[str]) -> dict[str, Any]:
    """Returns the document at /apis/GROUP."""
    listed = [{"groupVersion": f"{group}/{v}", "version": v} for v in versions]
    return {"name": group, "versions": listed, "preferredVersion": listed[0]}


def api_group_list(resources: Iterable[Resource]) -> dict[str, Any]:
    """Returns the document at /apis."""
    named = {g: v for g, v in groups(resources).items() if g}
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [api_group(g, v) for g, v in named.items()]}


def resource_list(group_version: str, resources: Iterable[Resource]) -> dict[str, Any]:
    """Returns the document at /api/v1 or /apis/GROUP/VERSION."""
    listed: list[dict[str, Any]] = []
    for resource in sorted(resources, key=lambda r: r.plural):
        listed.append(_resource(resource))
        listed += [_subresource(resource, name) for name in sorted(resource.subresources) if name in _SUBRESOURCES]
    head: dict[str, Any] = {"kind": "APIResourceList", "groupVersion": group_version}
    if "/" in group_version:
        head = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version}
    return head | {"resources": listed}


def _resource(resource: Resource) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.singular or resource.kind.lower(),
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        made["shortNames"] = list(resource.short_names)
    if resource.categories:
        made["categories"] = list(resource.categories)
    return made | {"storageVersionHash": storage_version_hash(resource)}


def storage_version_hash(resource: Resource) -> str:
    """Returns what tells clients whether objects rest in another version than before."""
    group = resource.group if resource.storage_group is None else resource.storage_group
    name = f"{group}/{resource.storage_version or resource.version}/{resource.kind}"
    return b64encode(sha256(name.encode()).digest()[:8]).decode()


def _subresource(resource: Resource, name: str) -> dict[str, Any]:
    verbs, kind = _SUBRESOURCES[name]
    made: dict[str, Any] = {
        "name": f"{resource.plural}/{name}",
        "singularName": "",
        "namespaced": resource.namespaced,
    }
    if kind and kind[0]:
        made |= {"group": kind[0], "version": kind[1]}
    return made | {"kind": kind[2] if kind else resource.kind, "verbs": list(verbs)}


def aggregated(resources: Iterable[Resource], core: bool) -> dict[str, Any]:
    """Returns the aggregated document: everything below /api, or everything below /apis."""
    items = []
    for group, versions in groups(resources).items():
        if (group == "") != core:
            continue
        listed = [
            {
                "version": v,
                "resources": [_discovered(r) for r in sorted(found, key=lambda r: r.plural)],
                "freshness": "Current",
            }
            for v, found in versions.items()
        ]
        items.append({"metadata": {"name": group} if group else {}, "versions": listed})
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _discovered(resource: Resource) -> dict[str, Any]:
    own = {"group": "", "version": "", "kind": resource.kind}
    if resource.structural:  # only custom kinds repeat where they are listed
        own |= {"group": resource.group, "version": resource.version}
    made: dict[str, Any] = {
        "resource": resource.plural,
        "responseKind": own,
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular or resource.kind.lower(),
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        made["shortNames"] = list(resource.short_names)
    if resource.categories:
        made["categories"] = list(resource.categories)
    below = []
    for name in sorted(resource.subresources):
        if name in _SUBRESOURCES:
            verbs, kind = _SUBRESOURCES[name]
            named = dict(zip(("group", "version", "kind"), kind, strict=True)) if kind else own
            below.append({"subresource": name, "responseKind": named, "verbs": list(verbs)})
    if below:
        made["subresources"] = below
    return made
