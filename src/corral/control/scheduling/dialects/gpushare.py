"""GPU memory in the words of gpushare: `aliyun.com/gpu-mem`, and how many GPUs it is spread over.

Its device plugin reads the chosen GPUs from annotations that are written with the bind. Memory is counted in GiB or in MiB, as the
plugin was started; a GPU has less than 1024 GiB and more than 1024 MiB, so the amount itself says which.
"""

from corral.control.scheduling.dialects.dialect import Asked, Dialect, GpuWords, Placed, whole_number
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

_MIB_PER_GIB = 1024


def mebibytes(amount: int) -> int:
    """Returns an amount of `aliyun.com/gpu-mem` for one GPU in MiB."""
    return amount if amount >= _MIB_PER_GIB else amount * _MIB_PER_GIB


def _ask(asked: Asked) -> GpuAsk:
    said = asked.said(ALIYUN_COUNT)
    number = whole_number(ALIYUN_COUNT, said, 256) if said else max(1, asked.amount(ALIYUN_COUNT))
    memory = asked.amount(ALIYUN_MEMORY)
    if not memory:
        return GpuAsk(number)
    return GpuAsk(number, memory=mebibytes(-(-memory // number)))


def _hand_over(placed: Placed) -> dict[str, str]:
    memory = placed.asked.amount(ALIYUN_MEMORY)
    if not memory:
        return {}
    of_device = placed.offer.gpus[placed.devices[0]].memory
    in_gib = memory // len(placed.devices) < _MIB_PER_GIB
    return {
        ALIYUN_INDEX: ",".join(map(str, placed.devices)),
        ALIYUN_OF_DEVICE: str(of_device // _MIB_PER_GIB if in_gib else of_device),
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
