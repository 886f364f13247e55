"""What is asked of a cluster, and what is answered: GPUs, pods, gangs, plans and refusals. Frozen values.

Everything here is hashable: pods that ask the same are one *class*, and the engine decides for a class once. How a pod of
Kubernetes becomes an ask is not known here, and neither is the API; a trace becomes the same values.
"""

from typing import NamedTuple

WHOLE = 1000
"""A whole GPU in thousandths."""


class GpuAsk(NamedTuple):
    """The GPUs of one pod; `milli` and `memory` are of each of them."""

    number: int = 0
    milli: int = WHOLE
    memory: int = 0
    """MiB of each GPU; 0 when the share alone says how much."""
    models: tuple[str, ...] = ()
    """Any of these will do; empty when every model will."""
    devices: tuple[str, ...] = ()
    """Only these, by index on the node or by uuid; empty when every device will do."""
    refused_models: tuple[str, ...] = ()

    @property
    def is_share(self) -> bool:
        """Whether it leaves room on its GPUs for others."""
        return self.number > 0 and (self.milli < WHOLE or self.memory > 0)

    @property
    def total(self) -> int:
        """Returns all that is asked, in thousandths of a GPU."""
        return self.number * self.milli


class Neighbours(NamedTuple):
    """Which pods must be in the same domain of a level, or must not be."""

    kind: str
    """`apart`: none of the crowd; `together`: at least one of them; `even`: as many as elsewhere, but for the skew."""
    crowd: int
    """The number of a set of pods; whoever makes asks numbers them."""
    level: str
    """The key of a label, or a short name."""
    skew: int = 1
    """By how many a domain may have more of the crowd than the one that has fewest."""
    among: int = -1
    """The number of the rules of those nodes whose domains are compared, and on which the crowd counts; -1 for the rules of the ask."""
    least: int = 0
    """As long as fewer domains than this are compared, an empty one is taken to be among them."""


class PodAsk(NamedTuple):
    """Everything about a pod that decides where it can go."""

    cpu: int = 0
    """Thousandths of a core."""
    memory: int = 0
    """Bytes."""
    gpu: GpuAsk = GpuAsk()
    others: tuple[tuple[str, int], ...] = ()
    """Other resources by name, sorted: RDMA, FPGAs, MIG slices."""
    rules: int = 0
    """Which nodes are allowed at all: the number of a set of rules (selector, affinity, tolerations) that the fleet knows; 0
    allows every node."""
    crowds: tuple[int, ...] = ()
    """The sets of pods that it belongs to, by number; only those that somebody's neighbours speak of matter."""
    neighbours: tuple[Neighbours, ...] = ()
    """Which other pods it must be with, or must not be with."""


class Member(NamedTuple):
    """One pod of a gang; `uid` tells it from all others, also from an earlier one of its name."""

    uid: str
    ask: PodAsk
    held: str = ""
    """The node it is bound to already; "" when it waits."""


class Gang(NamedTuple):
    """Pods that start together or not at all."""

    uid: str
    members: tuple[Member, ...]
    minimum: int
    """How many must be placed for the gang to start; the rest may follow."""
    queue: str = ""
    priority: int = 0
    strategy: str = ""
    """`bundle`, `spread`, or "" for the policy's own."""
    within: str = ""
    """The topology level that all must share, such as `zone`; "" when anywhere will do."""
    near: str = ""
    """The level that they should share when they can."""
    takes_kept: bool = False
    """Whether it may sit where seats are kept for larger pods: it has waited long enough."""


class Seat(NamedTuple):
    """Where one pod goes: a node, and which of its GPUs."""

    uid: str
    node: str
    devices: tuple[int, ...] = ()


class Plan(NamedTuple):
    """Where a gang goes, all that must and as many more as can."""

    gang: str
    seats: tuple[Seat, ...]


class Standing(NamedTuple):
    """How nodes of one make stand to what is asked."""

    make: str
    """Such as `8 x A100`."""
    nodes: int
    fits: int
    """How many of the pods they could take now."""
    free: tuple[tuple[str, int], ...] = ()
    """`gpu_milli` in all, `idle_gpus`, and `idle_gpus_on_one_node` at most."""
    lacking: tuple[tuple[str, int], ...] = ()
    """How many of the nodes lack what: a node may lack several things."""


class Refusal(NamedTuple):
    """Why a gang goes nowhere now: a code for programs, a sentence for people, and the numbers behind both."""

    gang: str
    code: str
    sentence: str
    needed: tuple[tuple[str, int], ...] = ()
    free: tuple[tuple[str, int], ...] = ()
    binding: str = ""
    """The constraint without which it would fit: `gpu`, `cpu`, `rules` and so on; "" when no single one is in the way."""
    standings: tuple[Standing, ...] = ()
    """One for each make of node, those that come nearest first."""
