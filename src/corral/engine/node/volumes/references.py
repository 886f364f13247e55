"""Which objects and tokens the volumes of a pod are made of, so that they can be fetched first."""

from collections.abc import Iterator
from typing import NamedTuple

from corral.engine.node.fetched import Reference
from corral.kinds.objects import Object

_TOKEN_SECONDS = 3600


class TokenRequest(NamedTuple):
    """A token of the pod's service account that a volume has in it; no audience means the API itself."""

    audience: str = ""
    seconds: int = _TOKEN_SECONDS


def mounted_volumes(pod: Object) -> list[Object]:
    """Returns the volumes that a container of the pod sees; the others are not made."""
    spec = pod["spec"]
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    seen = {mount["name"] for container in containers for mount in container.get("volumeMounts") or ()}
    return [volume for volume in spec.get("volumes") or () if volume["name"] in seen]


def references_of(pod: Object) -> frozenset[Reference]:
    """Returns the ConfigMaps, Secrets and claims that the volumes of a pod refer to."""
    return frozenset(reference for volume in mounted_volumes(pod) for reference in _references(volume))


def tokens_of(pod: Object) -> frozenset[TokenRequest]:
    """Returns the tokens that the volumes of a pod have in them."""
    return frozenset(
        token_request(source["serviceAccountToken"])
        for volume in mounted_volumes(pod)
        for source in (volume.get("projected") or {}).get("sources") or ()
        if source.get("serviceAccountToken") is not None
    )


def token_request(source: Object) -> TokenRequest:
    """Returns the token that one part of a projected volume asks for."""
    return TokenRequest(source.get("audience") or "", source.get("expirationSeconds") or _TOKEN_SECONDS)


def _references(volume: Object) -> Iterator[Reference]:
    if volume.get("persistentVolumeClaim"):
        yield Reference("PersistentVolumeClaim", volume["persistentVolumeClaim"].get("claimName", ""))
    if volume.get("configMap") is not None:
        yield Reference("ConfigMap", volume["configMap"].get("name", ""), bool(volume["configMap"].get("optional")))
    if volume.get("secret") is not None:
        # A volume says secretName where a part of a projected one says name.
        yield Reference("Secret", volume["secret"].get("secretName", ""), bool(volume["secret"].get("optional")))
    for source in (volume.get("projected") or {}).get("sources") or ():
        for field, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
            if source.get(field) is not None:
                yield Reference(kind, source[field].get("name", ""), bool(source[field].get("optional")))
