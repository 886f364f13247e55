"""Topology between nodes: levels by name, and which nodes share a domain of a level.

A level is a label of nodes, by its key or by the short name that people use; `node` and `model` are levels without a label.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from corral.placement.fleet.columns import Ints
from corral.placement.offers import NodeOffer

NODE = "node"
MODEL = "model"

SHORT: Mapping[str, tuple[str, ...]] = {
    "hostname": ("kubernetes.io/hostname",),
    "zone": ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"),
    "region": ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"),
    "accelerator": ("network.topology.nvidia.com/accelerator", "nvidia.com/gpu.clique"),
    "block": ("network.topology.nvidia.com/block", "cloud.provider.com/topology-block"),
    "spine": ("network.topology.nvidia.com/spine",),
    "datacenter": ("network.topology.nvidia.com/datacenter",),
    "rack": ("topology.kubernetes.io/rack", "cloud.provider.com/topology-rack"),
}
"""Short names and the labels they stand for: the first that a node has counts."""


def domain_name(level: str, offer: NodeOffer) -> str:
    """Returns the domain of a node at a level; "" when it belongs to none."""
    if level == NODE:
        return offer.name
    if level == MODEL:
        return offer.model
    labels = dict(offer.labels)
    return next(filter(None, (labels.get(key) for key in (level, *SHORT.get(level, ())))), "")


def domains_of(level: str, offers: Sequence[NodeOffer | None]) -> tuple[Ints, list[str]]:
    """Returns for each row the number of its domain, -1 without one, and the names by number."""
    numbers: dict[str, int] = {}
    found = np.full(len(offers), -1, np.int64)
    for row, offer in enumerate(offers):
        name = domain_name(level, offer) if offer is not None else ""
        if name:
            found[row] = numbers.setdefault(name, len(numbers))
    return found, list(numbers)
