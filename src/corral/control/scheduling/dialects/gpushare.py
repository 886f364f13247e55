"""GPU memory in the words of gpushare: `aliyun.com/gpu-mem`, and how many GPUs it is spread over.

Its device plugin reads the chosen GPUs from annotations that are written with the bind. Memory is counted in GiB or in MiB, as the
plugin was started: a GPU has less than 1024 GiB and at least 1024 MiB, so what a node offers says which, and never what a pod asks.
"""

from corral.control.scheduling.dialects.dialect import Asked, Dialect, GpuWords, MalformedError, Placed, whole_number
from corral.kinds.scheduling.names import (
    ALIYUN_ASSIGNED,
    ALIYUN_ASSUMED_AT,
    ALIYUN_COUNT,
    ALIYUN_INDEX,
    ALIYUN_MEMORY,
    ALIYUN_OF_DEVICE,
    ALIYUN_OF_POD,
)
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.asks import GpuAsk
from corral.placement.offers import NodeOffer

MIXED = -1
"""The unit where nodes do not agree on one."""
_MIB_PER_GIB = 1024


def unit_of(offer: NodeOffer) -> int:
    """Returns how many MiB one of `aliyun.com/gpu-mem` is on a node; 0 when it counts none."""
    each = _each(offer)
    return 0 if not each else 1 if each >= _MIB_PER_GIB else _MIB_PER_GIB


def _each(offer: NodeOffer) -> int:
    """Returns the memory of each GPU of a node, in the unit in which the node counts."""
    others = dict(offer.others)
    count = others.get(ALIYUN_COUNT, 0)
    return others.get(ALIYUN_MEMORY, 0) // count if count > 0 else 0


def _ask(asked: Asked) -> GpuAsk:
    said = asked.said(ALIYUN_COUNT)
    number = whole_number(ALIYUN_COUNT, said, 256) if said else max(1, asked.amount(ALIYUN_COUNT))
    memory = asked.amount(ALIYUN_MEMORY)
    if not memory:
        return GpuAsk(number)
    if asked.memory_unit == MIXED:
        raise MalformedError(
            f"nodes count {ALIYUN_MEMORY} in GiB here and in MiB there, so nobody can tell how much is asked; let all count alike"
        )
    return GpuAsk(number, memory=-(-memory // number) * (asked.memory_unit or 1))


def _hand_over(placed: Placed) -> dict[str, str]:
    memory = placed.asked.amount(ALIYUN_MEMORY)
    if not memory:
        return {}
    return {
        ALIYUN_INDEX: ",".join(map(str, placed.devices)),
        ALIYUN_OF_DEVICE: str(_each(placed.offer)),
        ALIYUN_OF_POD: str(memory),
        ALIYUN_ASSIGNED: "false",
        ALIYUN_ASSUMED_AT: str(int(placed.now * 10**9)),
    }


def _held(pod: SchedulingPod, offer: NodeOffer) -> tuple[int, ...]:
    words = pod.metadata.annotations.get(ALIYUN_INDEX, "").split(",")
    found = tuple(int(word) for word in words if word.isdigit() and int(word) < len(offer.gpus))
    return found if len(found) == len(words) else ()


GPUSHARE = Dialect(
    "gpushare",
    GpuWords(
        frozenset({ALIYUN_MEMORY, ALIYUN_COUNT}),
        frozenset(),
        _ask,
        uncounted=frozenset({ALIYUN_COUNT}),
        hand_over=_hand_over,
        held=_held,
    ),
)
