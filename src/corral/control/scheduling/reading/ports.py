"""Ports of the node itself as resources, so that placement keeps them apart without knowing what a port is.

Of each port that anybody asks for, every node offers a number of addresses. Whoever wants it on all addresses takes them all, whoever
wants it on one takes one of them, and that one address besides; so two pods clash exactly where Kubernetes says that they do.
"""

from collections.abc import Iterable
from typing import Final

from corral.kinds.scheduling.pod_view import SchedulingSpec

PREFIX: Final = "corral.dev/host-port/"
_ADDRESSES: Final = 4096
_ALL = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared only


def ports_of(spec: SchedulingSpec) -> tuple[tuple[str, int], ...]:
    """Returns what a pod takes of the ports of its node, as resources with amounts, sorted."""
    taken: dict[str, int] = {}
    beside = (one for one in spec.init_containers if one.restart_policy == "Always")
    for container in (*beside, *spec.containers):
        for port in container.ports:
            if not port.host_port:
                continue
            name = f"{PREFIX}{port.protocol}/{port.host_port}"
            if port.host_ip in _ALL:
                taken[name] = _ADDRESSES
            else:
                taken[name] = max(taken.get(name, 0), 1)
                taken[f"{name}/{port.host_ip}"] = 1
    return tuple(sorted(taken.items()))


def offered(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Returns what every node offers of ports by these names."""
    return tuple((name, _ADDRESSES if name.count("/") == PREFIX.count("/") + 1 else 1) for name in sorted(names))


def is_port(name: str) -> bool:
    """Whether a resource stands for a port."""
    return name.startswith(PREFIX)
