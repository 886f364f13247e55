"""Which resources of a container are whole GPUs, or what counts as one, by whatever vendor; and how many are asked for."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

_WORDS = ("gpu", "nvidia-gpu", "npu", "dcu", "i915", "xe", "mlu", "tpu")
_BEGINNINGS = ("mig-", "Ascend")


@lru_cache(maxsize=256)
def is_gpu(resource: str) -> bool:
    """Whether a resource such as `nvidia.com/gpu` counts devices; memory and shares of one (`gpu-mem`) do not."""
    _, slash, word = resource.partition("/")
    return bool(slash) and (word in _WORDS or word.startswith(_BEGINNINGS))


def gpus_in(amounts: Mapping[str, Any] | None) -> int:
    """Returns how many GPUs are among amounts of resources."""
    count = 0
    for name, amount in (amounts or {}).items():
        if is_gpu(name):
            count += _count(amount)
    return count


def gpus_of(containers: Iterable[Mapping[str, Any]]) -> int:
    """Returns how many GPUs the containers of a pod may have; servers make the limit the request where only one is given."""
    count = 0
    for one in containers:
        resources = one.get("resources") or {}
        count += gpus_in(resources.get("limits")) or gpus_in(resources.get("requests"))
    return count


def _count(amount: Any) -> int:
    text = str(amount)
    if text.isdigit():
        return int(text)
    from corral.kinds.quantities import QuantityError, parse_quantity  # only odd spellings pay for it

    try:
        return parse_quantity(text).nanos // 10**9
    except QuantityError:
        return 0
