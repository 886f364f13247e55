"""Asking a server what it serves.

`discovering` is a conversation without I/O, like `retrying.exchange`: it yields calls and is sent answers. Aggregated
discovery (two requests) is tried first; a server without it is asked group by group. A group that does not answer (an
extension server that is down) is noted, and the others still count.
"""

from collections.abc import Generator, Iterable, Iterator
from typing import Any

from corral.adapters.kubernetes import calls
from corral.adapters.kubernetes.answers import Answer, object_in
from corral.adapters.kubernetes.calls import Call
from corral.kinds.catalogue import Catalogue, Served
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, split_api_version

_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"


def discovering() -> Generator[Call, Any, Catalogue]:
    """Asks for everything; each yielded call is answered by its Answer or by the PermanentError it ended in."""
    served: list[Served] = []
    unavailable: list[str] = []
    for root in ("/api", "/apis"):
        told = yield calls.raw("GET", root, accept=_AGGREGATED)
        if not isinstance(told, Answer):
            raise told
        document = object_in(told)
        if document.get("kind") == "APIGroupDiscoveryList":
            served += _aggregated(document, unavailable)
        else:
            served += yield from _one_by_one(root, document, unavailable)
    return Catalogue(tuple(served), tuple(unavailable))


def _aggregated(document: Object, unavailable: list[str]) -> Iterator[Served]:
    for group in document.get("items") or ():
        name = (group.get("metadata") or {}).get("name") or ""
        for version in group.get("versions") or ():
            if version.get("freshness") == "Stale":
                unavailable.append(f"{name}/{version['version']}")
            for listed in version.get("resources") or ():
                kind = (listed.get("responseKind") or {}).get("kind") or ""
                resource = ApiResource(
                    name, version["version"], kind, listed["resource"], listed.get("scope") == "Namespaced"
                )
                subresources = tuple(sub["subresource"] for sub in listed.get("subresources") or ())
                yield _served(resource, listed, listed.get("singularResource") or "", subresources)


def _served(resource: ApiResource, listed: Object, singular: str, subresources: Iterable[str]) -> Served:
    return Served(
        resource,
        singular or resource.kind.lower(),
        tuple(listed.get("shortNames") or ()),
        tuple(listed.get("verbs") or ()),
        tuple(listed.get("categories") or ()),
        tuple(subresources),
    )


def _one_by_one(root: str, document: Object, unavailable: list[str]) -> Generator[Call, Any, list[Served]]:
    served: list[Served] = []
    for api_version in _group_versions(root, document):
        told = yield calls.raw("GET", f"{root}/{api_version}")
        if not isinstance(told, Answer):
            unavailable.append(api_version)
            continue
        served += _of_version(api_version, object_in(told).get("resources") or [])
    return served


def _group_versions(root: str, document: Object) -> list[str]:
    if root == "/api":
        return list(document.get("versions") or ())
    ordered: list[str] = []
    for group in document.get("groups") or ():
        preferred = (group.get("preferredVersion") or {}).get("groupVersion")
        others = [version["groupVersion"] for version in group.get("versions") or ()]
        ordered += sorted(others, key=lambda name, first=preferred: name != first)  # type: ignore[misc]
    return ordered


def _of_version(api_version: str, listed: list[Object]) -> list[Served]:
    group, version = split_api_version(api_version)
    subresources: dict[str, list[str]] = {}
    for entry in listed:
        plural, slash, sub = entry["name"].partition("/")
        if slash:
            subresources.setdefault(plural, []).append(sub)
    return [
        _served(
            ApiResource(group, version, entry["kind"], entry["name"], bool(entry.get("namespaced"))),
            entry,
            entry.get("singularName") or "",
            subresources.get(entry["name"], ()),
        )
        for entry in listed
        if "/" not in entry["name"]
    ]
