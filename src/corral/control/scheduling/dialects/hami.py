"""Shares of GPUs in the words of HAMi: memory in MiB or percent, cores in percent, kinds and uuids that will do or will not.

Amounts are of each GPU of a container. Without a word about memory a container may use all of it, so its GPUs have room for nobody
else, however few of the cores it asks for.

Its device plugin registers the GPUs of a node in an annotation of the node, and reads what it shall hand out from annotations of
the pod that are written with the bind: for each container the uuid, the family, MiB and percent of cores of its GPUs.
"""

from typing import NamedTuple

import msgspec

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
"""A listed GPU: uuid, how many shares, MiB, percent of cores, model, NUMA node, health; since 2.4 also index and mode."""
_MIG = "mig"
_ALLOCATING = "allocating"
_LONGEST_SERVICE = 300.0


class _Registered(msgspec.Struct):
    """A GPU as newer plugins register it, in JSON; what is nothing there is left out."""

    id: str
    devmem: int
    devcore: int = 0
    type: str = ""
    numa: int = 0
    index: int = 0
    mode: str = ""
    health: bool = False


_registered = msgspec.json.Decoder(list[_Registered])


def registered(text: str) -> tuple[tuple[GpuOffer, ...], str]:
    """Returns the GPUs that a node has registered, and their model; none when the text cannot be read."""
    try:
        found = _registered.decode(text) if text.lstrip().startswith("[") else _listed(text)
    except (ValueError, msgspec.MsgspecError):
        return (), ""
    gpus = tuple(_offer(one) for one in sorted(found, key=lambda one: one.index))
    return gpus, next((one.type for one in found if one.type), "")


def _listed(text: str) -> list[_Registered]:
    """Reads the list of older plugins, in which GPUs end with a colon."""
    found = []
    for place, part in enumerate(one for one in text.split(":") if one.strip()):
        fields = [field.strip() for field in part.split(",")]
        if len(fields) not in _FIELDS:
            raise ValueError(part)
        uuid, _, memory, cores, model, numa, health, *more = fields
        index, mode = (int(more[0]), more[1]) if more else (place, "")
        is_well = health.lower() == "true"
        found.append(_Registered(uuid, int(memory), int(cores), model, int(numa), index, mode, is_well))
    return found


def _offer(one: _Registered) -> GpuOffer:
    # Instances of a GPU in MIG mode are cut by the plugin as it likes: nothing else can be said to be free there.
    is_usable = one.health and one.mode != _MIG
    return GpuOffer(one.id, min(one.devcore, 100) * WHOLE // 100 if is_usable else 0, one.devmem, one.numa)


class _Wanted(NamedTuple):
    """What a container wants: of so many GPUs each."""

    number: int
    memory: int
    percentage: int
    """Of the memory; 100 when nothing is said of it."""
    cores: int

    @property
    def ask(self) -> GpuAsk:
        """Returns what it takes of each of its GPUs."""
        if self.cores == 100:
            return GpuAsk(self.number)
        if self.memory:
            return GpuAsk(self.number, self.cores * WHOLE // 100 or WHOLE, self.memory)
        # Of memory in percent the same share of the cores is kept, unless more of those is asked for.
        return GpuAsk(self.number, max(self.percentage, self.cores) * WHOLE // 100)

    def memory_of(self, gpu: GpuOffer) -> int:
        """Returns how many MiB of a GPU the plugin is to let it use."""
        return self.memory or gpu.memory * self.percentage // 100


def _wanted(container: Container) -> _Wanted:
    given = amounts_of({**container.resources.requests, **container.resources.limits})
    amounts = {name: units_of(nanos) for name, nanos in given.items()}
    number = amounts.get(NVIDIA_GPU, 1 if _OUR_SHARES & amounts.keys() else 0)
    percentage = amounts.get(HAMI_PERCENTAGE, 0) or 100
    return _Wanted(number, amounts.get(HAMI_MEMORY, 0), percentage, amounts.get(HAMI_CORES, 0))


def _ask(asked: Asked) -> GpuAsk:
    if asked.said(HAMI_REFUSE_UUID):
        raise MalformedError(
            f"{HAMI_REFUSE_UUID} is not understood here; name the GPUs that will do in {HAMI_USE_UUID}"
        )
    spec = asked.pod.spec
    if any(_wanted(one).number for one in spec.init_containers):
        raise MalformedError("GPUs of init containers are not understood here in the words of HAMi")
    wanted = [one for one in map(_wanted, spec.containers) if one.number]
    if any(one.percentage > 100 or one.cores > 100 for one in wanted):
        raise MalformedError(f"{HAMI_PERCENTAGE} and {HAMI_CORES} are percents of one GPU, from 1 to 100")
    return _widest([one.ask for one in wanted])._replace(
        models=words_in(asked.said(HAMI_USE_TYPE)),
        devices=words_in(asked.said(HAMI_USE_UUID)),
        refused_models=words_in(asked.said(HAMI_REFUSE_TYPE)),
    )


def _widest(asks: list[GpuAsk]) -> GpuAsk:
    """Returns one ask for all containers: as many GPUs as all together, of each what the widest takes."""
    number = sum(one.number for one in asks)
    if not number or len(set(asks)) == 1:
        return asks[0]._replace(number=number) if asks else GpuAsk(0)
    if any(not one.memory for one in asks) and any(one.memory for one in asks):
        return GpuAsk(number)  # a part of the memory and so many MiB of it: which is more depends on the GPU
    return GpuAsk(number, max(one.milli for one in asks), max(one.memory for one in asks))


def _hand_over(placed: Placed) -> dict[str, str]:
    left = list(placed.devices)
    parts = []
    for wanted in map(_wanted, placed.asked.pod.spec.containers):
        chosen, left = left[: wanted.number], left[wanted.number :]
        parts.append("".join(_device(placed.offer.gpus[index], wanted) for index in chosen) + ";")
    given, stamp = "".join(parts), str(int(placed.now))
    return {
        HAMI_NODE: placed.offer.name,
        HAMI_TIME: stamp,
        HAMI_TO_ALLOCATE: given,
        HAMI_ALLOCATED: given,
        HAMI_PHASE: _ALLOCATING,
        HAMI_BOUND_AT: stamp,
    }


def _device(gpu: GpuOffer, wanted: _Wanted) -> str:
    return f"{gpu.uuid},{_FAMILY},{wanted.memory_of(gpu)},{wanted.cores}:"


def _held(pod: SchedulingPod, offer: NodeOffer) -> tuple[int, ...]:
    places = {gpu.uuid: index for index, gpu in enumerate(offer.gpus)}
    said = pod.metadata.annotations.get(HAMI_ALLOCATED, "")
    uuids = [part.partition(",")[0] for part in said.replace(";", ":").split(":") if part]
    found = tuple(places[uuid] for uuid in uuids if uuid in places)
    return found if len(found) == len(uuids) else ()


def _is_served(pod: SchedulingPod, now: float) -> bool:
    """A mark that nobody has answered in five minutes counts for nothing, as HAMi's own lock of a node does."""
    annotations = pod.metadata.annotations
    if annotations.get(HAMI_PHASE) != _ALLOCATING:
        return True
    since = annotations.get(HAMI_BOUND_AT, "")
    return not (since.isascii() and since.isdigit()) or now - int(since) > _LONGEST_SERVICE


HAMI = Dialect(
    "hami",
    GpuWords(
        _OUR_SHARES,
        frozenset({HAMI_USE_TYPE, HAMI_REFUSE_TYPE, HAMI_USE_UUID, HAMI_REFUSE_UUID}),
        _ask,
        uncounted=_OUR_SHARES,
        hand_over=_hand_over,
        held=_held,
        is_served=_is_served,
    ),
)
