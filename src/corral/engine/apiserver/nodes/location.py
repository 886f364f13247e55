"""Where a container is: which one is meant, and where the endpoint of its node listens. Pure."""

from typing import NamedTuple

from corral.engine.apiserver import failures
from corral.engine.apiserver.resources.resource import Object
from corral.kinds.nodes import CERTIFICATE_FINGERPRINT, is_fake_node

PREFERRED_ADDRESSES = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")
"""Which kind of a node's address is used first, as a real server does unless told otherwise."""


class Endpoint(NamedTuple):
    """Where a node answers, and by which certificate it is known."""

    host: str
    port: int
    fingerprint: str = ""
    """SHA-256 of its certificate in hexadecimal digits; empty for a node that does not tell, and is not trusted."""

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def container_of(pod: Object, asked: str) -> str:
    """Returns the container that is meant; 400 when there are several to choose from, or none of that name."""
    spec, name = pod.get("spec") or {}, pod["metadata"]["name"]
    kinds = ("initContainers", "containers", "ephemeralContainers")
    known = [str(container["name"]) for kind in kinds for container in spec.get(kind) or ()]
    if asked:
        if asked not in known:
            raise failures.bad_request(f"container {asked} is not valid for pod {name}")
        return asked
    alone = spec.get("containers") or []
    if len(alone) == 1:
        return str(alone[0]["name"])
    raise failures.bad_request(f"a container name must be specified for pod {name}, choose one of: [{' '.join(known)}]")


def endpoint_of(node: Object) -> Endpoint:
    """Returns where a node's kubelet listens; 500, in the real words, when the node does not tell.

    A fake node has none, and nothing to tell: its pods never ran.
    """
    if is_fake_node(node):
        name = node["metadata"]["name"]
        raise failures.bad_request(f'node "{name}" is fake: its pods are only played, so there are no logs and no exec')
    status = node.get("status") or {}
    told = ((node.get("metadata") or {}).get("annotations") or {}).get(CERTIFICATE_FINGERPRINT, "")
    addresses = status.get("addresses") or []
    port = ((status.get("daemonEndpoints") or {}).get("kubeletEndpoint") or {}).get("Port") or 10250
    for kind in PREFERRED_ADDRESSES:
        for address in addresses:
            if address.get("type") == kind and address.get("address"):
                return Endpoint(str(address["address"]), int(port), told.lower())
    shown = " ".join(f"{{{a.get('type', '')} {a.get('address', '')}}}" for a in addresses)
    raise failures.ApiFailure(500, "", f"no preferred addresses found; known addresses: [{shown}]")
