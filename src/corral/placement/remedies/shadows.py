"""Resources that count GPUs a second time: a pod that asks for GPUs of `nvidia.com/gpu` takes these and so many of that resource.

Whoever gives a GPU back gives back its shadow, and nobody should be told of both.
"""

from corral.kinds.gpus import is_gpu
from corral.kinds.scheduling.names import ALIYUN_COUNT, ALIYUN_MEMORY
from corral.placement.asks import PodAsk

_OTHERS = (ALIYUN_MEMORY, ALIYUN_COUNT)


def shadows(ask: PodAsk) -> tuple[str, ...]:
    """Returns the resources by which an ask counts its GPUs once more."""
    return tuple(name for name, _ in ask.others if is_gpu(name) or name in _OTHERS) if ask.gpu.number else ()


def own_others(ask: PodAsk) -> tuple[tuple[str, int], ...]:
    """Returns the other resources of an ask that are no shadows."""
    cast = shadows(ask)
    return tuple(pair for pair in ask.others if pair[0] not in cast)


def with_shadows(before: PodAsk, after: PodAsk) -> PodAsk:
    """Returns an ask for fewer or smaller GPUs whose shadows have shrunk as they did."""
    cast, total = shadows(before), before.gpu.number * (before.gpu.memory or before.gpu.milli)
    left = after.gpu.number * (after.gpu.memory or after.gpu.milli) if after.gpu.number else 0
    if not cast or left == total:
        return after
    others = ((name, amount * left // total if name in cast else amount) for name, amount in after.others)
    return after._replace(others=tuple(others))
