"""Where a pod is reached on this machine. Pure."""

from typing import NamedTuple

from corral.engine.node.addressing.loopback import address_of
from corral.engine.node.membership.node_object import HOST_IP
from corral.kinds.objects import Object, key_of


class Whereabouts(NamedTuple):
    """The addresses of a pod and of its node."""

    pod_ip: str
    host_ip: str


def whereabouts(pod: Object) -> Whereabouts:
    """Returns where a pod is reached."""
    return Whereabouts(HOST_IP if pod["spec"].get("hostNetwork") else address_of(*key_of(pod)), HOST_IP)
