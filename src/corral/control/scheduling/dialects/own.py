"""Our own words: shares by fraction or memory, devices and models that will do, gangs, queues and topology."""

from corral.control.scheduling.dialects.dialect import (
    Asked,
    Dialect,
    GangWords,
    GpuWords,
    MalformedError,
    fraction,
    whole_number,
)
from corral.kinds.quantities import QuantityError, parse_quantity
from corral.kinds.scheduling.names import (
    CHOSEN_DEVICES,
    GANG,
    GANG_PREFERRED_TOPOLOGY,
    GANG_SIZE,
    GANG_TOPOLOGY,
    GPU_COUNT,
    GPU_MEMORY,
    GPU_SHARE,
    NVIDIA_GPU,
    QUEUE,
)
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.asks import GpuAsk
from corral.placement.offers import NodeOffer

_MIB = 10**9 * 2**20


def _ask(asked: Asked) -> GpuAsk:
    share, memory = asked.said(GPU_SHARE), asked.said(GPU_MEMORY)
    if share and memory:
        raise MalformedError(f"{GPU_SHARE} and {GPU_MEMORY} exclude each other")
    if asked.amount(NVIDIA_GPU):
        # A kubelet would hand out whole ones, and the share would be one in name only.
        raise MalformedError(f"{GPU_SHARE if share else GPU_MEMORY} and whole GPUs ({NVIDIA_GPU}) exclude each other")
    number = whole_number(GPU_COUNT, asked.said(GPU_COUNT) or "1", 256)
    if share:
        return GpuAsk(number, fraction(GPU_SHARE, share))
    try:
        nanos = parse_quantity(memory).nanos
    except QuantityError as error:
        raise MalformedError(f"{GPU_MEMORY} is {memory!r}: {error}") from error
    if nanos <= 0:
        raise MalformedError(f"{GPU_MEMORY} is {memory!r}, which is nothing")
    return GpuAsk(number, memory=-(-nanos // _MIB))


def chosen_devices(pod: SchedulingPod, offer: NodeOffer) -> tuple[int, ...]:
    """Returns the GPUs of its node that a bound pod holds, as the scheduler wrote them; nothing when that cannot be."""
    words = pod.metadata.annotations.get(CHOSEN_DEVICES, "").split(",")
    found = tuple(int(word) for word in words if word.isdigit() and int(word) < len(offer.gpus))
    return found if len(found) == len(words) else ()


OWN = Dialect(
    "corral",
    GpuWords(frozenset(), frozenset({GPU_SHARE, GPU_MEMORY}), _ask),
    gang=GangWords(GANG, GANG_SIZE),
    queue=QUEUE,
    within=GANG_TOPOLOGY,
    near=GANG_PREFERRED_TOPOLOGY,
)
