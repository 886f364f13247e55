"""Servers that listen on a port of their own choice: nobody tells them a loopback port, so they are found where they are.

A program can be told where to listen only through an address of its own Service, in its command or variables or in a file made
of an object, as frameworks and hand-written clusters do. One that names no such address and reads no such file listens where
its image would, on the port that the Service leads to. Pure.
"""

from collections.abc import Iterable, Iterator

from corral.engine.node.addressing.loopback import ServicePort
from corral.engine.node.addressing.translation import addresses_in, container_port, selects
from corral.kinds.objects import Object, owners_of
from corral.kinds.training.catalogue import TRAINING_KINDS

_TOLD = frozenset(facts.kind for facts in TRAINING_KINDS)


def fixed_port(wanted: ServicePort, service: Object, pods: Iterable[Object]) -> int | None:
    """Returns the port on which the pods behind a Service listen by themselves; None when they are told a loopback port.

    `pods` are those of this machine. Without a pod behind the Service nothing is known, which is None as well.
    """
    if any(owner.get("kind") in _TOLD for owner in owners_of(service)):
        return None
    behind = [pod for pod in pods if pod["metadata"]["namespace"] == wanted.namespace and selects(service, pod)]
    if not behind or any(_names(pod, wanted) or _reads_objects(pod) for pod in behind):
        return None
    return container_port(service, wanted.port, behind[0])


def is_undecided(service: Object, pods: Iterable[Object]) -> bool:
    """Whether a Service leads to pods of which none is here yet, so that nobody knows where they will listen."""
    selector = (service.get("spec") or {}).get("selector")
    if not selector or any(owner.get("kind") in _TOLD for owner in owners_of(service)):
        return False
    namespace = service["metadata"]["namespace"]
    return not any(pod["metadata"]["namespace"] == namespace and selects(service, pod) for pod in pods)


def spoken_texts(pod: Object) -> Iterator[str]:
    """Yields the texts in the spec of a pod in which somebody may have written an address."""
    spec = pod["spec"]
    for container in [*(spec.get("initContainers") or ()), *spec["containers"]]:
        yield from container.get("command") or ()
        yield from container.get("args") or ()
        yield from (str(one.get("value") or "") for one in container.get("env") or ())


def _reads_objects(pod: Object) -> bool:
    """Whether a pod may be told an address by a ConfigMap or a Secret, mounted or as a variable."""
    spec = pod["spec"]
    containers = [*(spec.get("initContainers") or ()), *spec["containers"]]
    sources = [entry.get("valueFrom") or {} for one in containers for entry in one.get("env") or ()]
    sources += [source for one in containers for source in one.get("envFrom") or ()]
    for volume in spec.get("volumes") or ():
        sources += [volume, *((volume.get("projected") or {}).get("sources") or ())]
    return any(_may_tell(source) for source in sources)


def _may_tell(source: Object) -> bool:
    """Whether a source of variables or files is an object of the user's; every pod of a cluster has its authority."""
    named = [source.get(kind) for kind in ("configMap", "configMapRef", "configMapKeyRef")]
    if any(one is not None and one.get("name") != "kube-root-ca.crt" for one in named):
        return True
    return any(source.get(kind) is not None for kind in ("secret", "secretRef", "secretKeyRef"))


def _names(pod: Object, wanted: ServicePort) -> bool:
    return any(wanted in addresses_in(text, wanted.namespace) for text in spoken_texts(pod))
