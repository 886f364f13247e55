"""Where the log of a container is: which container is meant, and where the endpoint of its node listens. Pure."""

from typing import NamedTuple

from corral.engine.apiserver import failures
from corral.engine.apiserver.resources.resource import Object

PREFERRED_ADDRESSES = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")
"""Which kind of a node's address is used first, as a real server does unless told otherwise."""


class Endpoint(NamedTuple):
    """Where a node answers."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def container_of(pod: Object, asked: str) -> str:
    """Returns the container whose log is meant; 400 when there are several to choose from, or none of that name."""
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
    """Returns where a node's kubelet listens; 500, in the real words, when the node does not tell."""
    status = node.get("status") or {}
    addresses = status.get("addresses") or []
    port = ((status.get("daemonEndpoints") or {}).get("kubeletEndpoint") or {}).get("Port") or 10250
    for kind in PREFERRED_ADDRESSES:
        for address in addresses:
            if address.get("type") == kind and address.get("address"):
                return Endpoint(str(address["address"]), int(port))
    shown = " ".join(f"{{{a.get('type', '')} {a.get('address', '')}}}" for a in addresses)
    raise failures.ApiFailure(500, "", f"no preferred addresses found; known addresses: [{shown}]")
