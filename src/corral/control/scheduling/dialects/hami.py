"""Shares of GPUs in the words of HAMi: memory in MiB or percent, cores in percent, kinds and uuids that will do or will not.

Its device plugin registers the GPUs of a node in an annotation of the node, and reads what it shall hand out from annotations of
the pod that are written with the bind: for each container the uuid, the family, MiB and percent of cores of its GPUs.
"""

from corral.control.scheduling.amounts import amounts_of, units_of
from corral.control.scheduling.dialects.dialect import Asked, Dialect, GpuWords, MalformedError, Placed, words_in
from corral.kinds.scheduling.names import (
    HAMI_ALLOCATED,
    HAMI_BOUND_AT,
    HAMI_CORES,
    HAMI_MEMORY,
    HAMI_NODE,
    HAMI_PERCENTAGE,
    HAMI_PHASE,
    HAMI_REFUSE_TYPE,
    HAMI_REFUSE_UUID,
    HAMI_TIME,
    HAMI_TO_ALLOCATE,
    HAMI_USE_TYPE,
    HAMI_USE_UUID,
    NVIDIA_GPU,
)
from corral.kinds.scheduling.pod_view import Container, SchedulingPod
from corral.placement.asks import WHOLE, GpuAsk
from corral.placement.offers import GpuOffer, NodeOffer

_FAMILY = "NVIDIA"
_OUR_SHARES = frozenset({HAMI_MEMORY, HAMI_PERCENTAGE, HAMI_CORES})
_FIELDS = (7, 9)
"""A registered GPU: uuid, how many shares, MiB, percent of cores, model, NUMA node, health; since 2.4 also index and mode."""


def registered(text: str) -> tuple[tuple[GpuOffer, ...], str]:
    """Returns the GPUs that a node has registered, and their model; none when the text cannot be read."""
    gpus: list[tuple[int, GpuOffer]] = []
    model = ""
    for place, part in enumerate(one for one in text.split(":") if one.strip()):
        fields = [field.strip() for field in part.split(",")]
        if len(fields) not in _FIELDS:
            return (), ""
        try:
            memory, cores, numa = int(fields[2]), int(fields[3]), int(fields[5])
            index = int(fields[7]) if len(fields) > 7 else place
        except ValueError:
            return (), ""
        milli = min(cores, 100) * WHOLE // 100 if fields[6].lower() == "true" else 0
        gpus.append((index, GpuOffer(fields[0], milli, memory, numa)))
        model = model or fields[4]
    return tuple(gpu for _, gpu in sorted(gpus, key=lambda one: one[0])), model


def _ask(asked: Asked) -> GpuAsk:
    if asked.said(HAMI_REFUSE_UUID):
        raise MalformedError(
            f"{HAMI_REFUSE_UUID} is not understood here; name the GPUs that will do in {HAMI_USE_UUID}"
        )
    number = asked.amount(NVIDIA_GPU) or 1
    memory, percentage, cores = (asked.amount(name) // number for name in (HAMI_MEMORY, HAMI_PERCENTAGE, HAMI_CORES))
    if percentage > 100 or cores > 100:
        raise MalformedError(f"{HAMI_PERCENTAGE} and {HAMI_CORES} are percents of one GPU, from 1 to 100")
    milli = cores * WHOLE // 100 if cores else WHOLE
    if not memory and percentage and percentage < 100:
        # Of memory in percent the engine keeps the same share of the cores, unless more of those is asked for.
        milli = max(percentage * WHOLE // 100, milli if cores else 0)
    return GpuAsk(
        number,
        milli,
        memory,
        models=words_in(asked.said(HAMI_USE_TYPE)),
        devices=words_in(asked.said(HAMI_USE_UUID)),
        refused_models=words_in(asked.said(HAMI_REFUSE_TYPE)),
    )


def _hand_over(placed: Placed) -> dict[str, str]:
    left = list(placed.devices)
    parts = []
    for container in placed.asked.pod.spec.containers:
        wanted = {name: units_of(nanos) for name, nanos in amounts_of(_amounts(container)).items()}
        count = wanted.get(NVIDIA_GPU, 1 if _OUR_SHARES & wanted.keys() else 0)
        chosen, left = left[:count], left[count:]
        parts.append("".join(_device(placed.offer.gpus[index], wanted) for index in chosen) + ";")
    given, stamp = "".join(parts), str(int(placed.now))
    return {
        HAMI_NODE: placed.offer.name,
        HAMI_TIME: stamp,
        HAMI_TO_ALLOCATE: given,
        HAMI_ALLOCATED: given,
        HAMI_PHASE: "allocating",
        HAMI_BOUND_AT: stamp,
    }


def _amounts(container: Container) -> dict[str, object]:
    return {**container.resources.limits, **container.resources.requests}


def _device(gpu: GpuOffer, wanted: dict[str, int]) -> str:
    memory = wanted.get(HAMI_MEMORY) or gpu.memory * wanted.get(HAMI_PERCENTAGE, 100) // 100
    return f"{gpu.uuid},{_FAMILY},{memory},{wanted.get(HAMI_CORES, 0)}:"


def _held(pod: SchedulingPod, offer: NodeOffer) -> tuple[int, ...]:
    places = {gpu.uuid: index for index, gpu in enumerate(offer.gpus)}
    said = pod.metadata.annotations.get(HAMI_ALLOCATED, "")
    uuids = [part.partition(",")[0] for part in said.replace(";", ":").split(":") if part]
    found = tuple(places[uuid] for uuid in uuids if uuid in places)
    return found if len(found) == len(uuids) else ()


HAMI = Dialect(
    "hami",
    GpuWords(
        _OUR_SHARES,
        frozenset({HAMI_USE_TYPE, HAMI_REFUSE_TYPE, HAMI_USE_UUID, HAMI_REFUSE_UUID}),
        _ask,
        uncounted=_OUR_SHARES,
        hand_over=_hand_over,
        held=_held,
    ),
)
