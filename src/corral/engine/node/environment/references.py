"""Which ConfigMaps and Secrets the variables of a pod are made of, so that they can be fetched first."""

from collections.abc import Iterator

from corral.engine.node.fetched import Reference
from corral.kinds.objects import Object

_FROM = {"configMapRef": "ConfigMap", "secretRef": "Secret"}
_KEY_FROM = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}


def references_of(pod: Object) -> frozenset[Reference]:
    """Returns what the containers of a pod refer to; needed by one and optional for another is both."""
    spec = pod["spec"]
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return frozenset(reference for container in containers for reference in container_references(container))


def container_references(container: Object) -> Iterator[Reference]:
    """Yields what the variables of one container refer to."""
    for source in container.get("envFrom") or ():
        yield from _references(source, _FROM)
    for entry in container.get("env") or ():
        if not entry.get("value"):
            yield from _references(entry.get("valueFrom") or {}, _KEY_FROM)


def _references(source: Object, kinds: dict[str, str]) -> Iterator[Reference]:
    for field, kind in kinds.items():
        if source.get(field) is not None:
            yield Reference(kind, source[field].get("name", ""), bool(source[field].get("optional")))
