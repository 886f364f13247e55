"""A dialect: in which words people ask one system for GPUs, gangs and queues, and in which words its device plugin is answered.

A dialect is a value, and what it does not speak of is left empty. Words that cannot be read raise `MalformedError`, whose message
is told in an event; the pod waits until somebody corrects it, because a pod that lost its request would start without its GPU.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from corral.kinds.references import ApiResource
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.asks import GpuAsk
from corral.placement.offers import NodeOffer

MOST_SHARES = 1000
"""A share smaller than a thousandth of a GPU is none."""
_ROUNDED_DOWN = 0.1


class MalformedError(ValueError):
    """Words of a dialect that cannot be read; the message says which and why."""


class Asked(NamedTuple):
    """A pod, and what it holds of every resource in whole units."""

    pod: SchedulingPod
    amounts: Mapping[str, int]
    memory_unit: int = 0
    """How many MiB one of gpushare's memory is; 0 when no node counts it."""

    def amount(self, name: str) -> int:
        """Returns how much is asked of a resource, 0 when it is not."""
        return self.amounts.get(name, 0)

    def said(self, name: str) -> str:
        """Returns what an annotation or label says, without blanks around it."""
        return self.pod.value(name).strip()


class Placed(NamedTuple):
    """A pod that was given its place, for whoever hands the devices over."""

    asked: Asked
    ask: GpuAsk
    offer: NodeOffer
    devices: tuple[int, ...]
    now: float


class GpuWords(NamedTuple):
    """How GPUs are asked for, and how the answer is written."""

    resources: frozenset[str]
    """Resources that belong to this dialect."""
    annotations: frozenset[str]
    """Labels and annotations that do."""
    ask: Callable[[Asked], GpuAsk]
    uncounted: frozenset[str] = frozenset()
    """Resources of it that no node counts, so that no kubelet refuses them."""
    hand_over: Callable[[Placed], dict[str, str]] = lambda _: {}
    """Returns the annotations by which the device plugin learns of its GPUs."""
    held: Callable[[SchedulingPod, NodeOffer], tuple[int, ...]] = lambda _pod, _offer: ()
    """Returns which GPUs a bound pod holds, as far as its annotations say."""
    is_served: Callable[[SchedulingPod, float], bool] | None = None
    """Whether a pod has its devices by now, or never asked for any; None where the plugin serves several at a time."""


class GangWords(NamedTuple):
    """How a pod says which gang it belongs to, and how many of it must start together."""

    name: str
    """The label or annotation with the name of the gang, in the namespace of the pod."""
    size: str = ""
    """The label or annotation with the number of pods; "" when the group object has it."""
    group: ApiResource | None = None
    """The kind of the object that describes the gang."""


class Dialect(NamedTuple):
    """One system's words."""

    name: str
    gpus: GpuWords | None = None
    gang: GangWords | None = None
    queue: str = ""
    """The label or annotation with the name of the queue."""
    within: str = ""
    """The label or annotation with the topology level that a gang must share."""
    near: str = ""
    """The one with the level that it should share."""


def whole_number(name: str, text: str, most: int = 1_000_000) -> int:
    """Returns a number of at least 1 that a label or annotation spells."""
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= most:
        raise MalformedError(f"{name} is {text!r}, not a whole number from 1 to {most}")
    return int(text)


def fraction(name: str, text: str) -> int:
    """Returns a share of a GPU in thousandths: as many fit as the text means, so 0.3333 three times.

    From a tenth on it is rounded down; below, where a thousandth is much, up.
    """
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise MalformedError(f"{name} is {text!r}, not a share above 0 and up to 1")
    exact = round(share * MOST_SHARES, 6)
    return math.floor(exact) if share >= _ROUNDED_DOWN else math.ceil(exact)


def words_in(text: str) -> tuple[str, ...]:
    """Returns the parts of a list with commas, sorted."""
    return tuple(sorted(part for part in (one.strip() for one in text.split(",")) if part))
