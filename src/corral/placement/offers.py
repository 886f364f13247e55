"""What nodes offer: processors, memory, GPUs one by one, other resources, and the marks by which rules know them.

Frozen values, made from Nodes of Kubernetes or from the rows of a trace; the engine keeps them as arrays.
"""

from typing import NamedTuple

from corral.placement.asks import WHOLE


class GpuOffer(NamedTuple):
    """One GPU of a node."""

    uuid: str = ""
    """What its driver calls it; "" when nobody said."""
    milli: int = WHOLE
    """What may be given away of it; 0 when it is not well."""
    memory: int = 0
    """MiB; 0 when nobody said."""
    numa: int = -1
    """The NUMA node it hangs on; -1 when nobody said."""
    clique: str = ""
    """The island of fast links it belongs to; "" when nobody said."""


class Taint(NamedTuple):
    """What keeps pods away from a node, unless they tolerate it."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"


class NodeOffer(NamedTuple):
    """All that a node has to give when it is empty."""

    name: str
    cpu: int
    """Thousandths of a core."""
    memory: int
    """Bytes."""
    pods: int = 110
    """How many pods it takes."""
    gpus: tuple[GpuOffer, ...] = ()
    model: str = ""
    """The model of its GPUs."""
    links: tuple[tuple[int, ...], ...] = ()
    """How well each pair of its GPUs is connected, in points; () when nobody said."""
    others: tuple[tuple[str, int], ...] = ()
    """Other resources by name, sorted."""
    labels: tuple[tuple[str, str], ...] = ()
    """Sorted; rules and topology levels are read from them."""
    taints: tuple[Taint, ...] = ()
    is_closed: bool = False
    """Whether it takes nobody new: cordoned, or not ready."""
