"""What a node offers to placement, read from its status, its labels, and what device plugins registered on it."""

from typing import Final, NamedTuple

import msgspec

from corral.control.scheduling.amounts import CPU, MEMORY, amounts_of, milli_of, units_of
from corral.control.scheduling.dialects.catalogue import DIALECTS
from corral.control.scheduling.dialects.dialect import GpuWords, Placed
from corral.control.scheduling.dialects.gpushare import GPUSHARE, unit_of
from corral.control.scheduling.dialects.hami import HAMI, registered
from corral.control.scheduling.dialects.own import chosen_devices
from corral.control.scheduling.reading.asks import Request
from corral.control.scheduling.reading.bounds import MOST_GPUS, believable_offer
from corral.kinds.nodes import FAKE_NODE, PROCESS_NODE
from corral.kinds.quantities import QuantityError
from corral.kinds.scheduling.names import (
    ALIYUN_COUNT,
    ALIYUN_MEMORY,
    CHOSEN_DEVICES,
    HAMI_REGISTER,
    LINKS,
    NVIDIA_GPU,
    NVIDIA_MEMORY,
    NVIDIA_PRODUCT,
    NVIDIA_REPLICAS,
)
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.placement.offers import GpuOffer, NodeOffer, Taint

_UNBOUNDED: Final = 2**56
"""CPU in thousandths, memory and disk in bytes of a node whose pods share it as processes do; the sums still fit into 64 bits."""
_SHARED_BY_PROCESSES = frozenset({CPU, MEMORY, "ephemeral-storage"})
_links = msgspec.json.Decoder(tuple[tuple[int, ...], ...])


class Place(NamedTuple):
    """A node as the scheduler sees it."""

    offer: NodeOffer
    closed_because: str = ""
    """Why it takes nobody new, in kube-scheduler's words."""
    plugin: GpuWords | None = None
    """The words of the device plugin that hands out its GPUs, when it needs to be told which."""
    order: int = 0
    """Nodes of a lower number are asked first: where pods run for real come before those where they are played."""
    complaint: str = ""
    """What it says of itself and cannot be read."""


def place_of(node: SchedulingNode) -> Place:
    """Returns what a node offers; one that cannot be read offers nothing."""
    try:
        return _place(node)
    except QuantityError as error:
        name = node.metadata.name
        return Place(NodeOffer(name, 0, 0, pods=0, is_closed=True), "node(s) were not readable", complaint=str(error))


def _place(node: SchedulingNode) -> Place:
    labels = node.metadata.labels
    nanos = amounts_of(node.status.allocatable)
    amounts = {name: max(0, units_of(amount)) for name, amount in nanos.items()}
    shares_machine = labels.get(PROCESS_NODE) == "true"
    cpu, memory = milli_of(nanos.get(CPU, 0)), amounts.get(MEMORY, 0)
    if shares_machine:
        # The processes of one machine share it, as they do outside of Corral.
        cpu = memory = amounts["ephemeral-storage"] = _UNBOUNDED
    gpus, model, plugin, complaint = _gpus(node, amounts)
    links, wrong = _read_links(node, len(gpus))
    closed_because = _closed_because(node)
    offer = NodeOffer(
        name=node.metadata.name,
        cpu=cpu,
        memory=memory,
        pods=amounts.get("pods", 0),
        gpus=gpus,
        model=model,
        links=links,
        others=tuple(sorted((name, amount) for name, amount in amounts.items() if name not in (CPU, MEMORY, "pods"))),
        labels=tuple(sorted(labels.items())),
        taints=tuple(Taint(one.key, one.value, one.effect) for one in node.spec.taints),
        is_closed=bool(closed_because),
    )
    offer, absurd = believable_offer(offer)
    order = int(labels.get(FAKE_NODE) == "true")
    return Place(offer, closed_because, plugin, order, complaint or wrong or absurd)


def _closed_because(node: SchedulingNode) -> str:
    if node.spec.unschedulable:
        return "node(s) were unschedulable"
    return "" if node.is_ready else "node(s) were not ready"


def _gpus(node: SchedulingNode, amounts: dict[str, int]) -> tuple[tuple[GpuOffer, ...], str, GpuWords | None, str]:
    """Returns the GPUs of a node, their model, and whose plugin hands them out, from whoever knows most about them."""
    labels, register = node.metadata.labels, node.metadata.annotations.get(HAMI_REGISTER, "")
    model = labels.get(NVIDIA_PRODUCT, "")
    if register:
        gpus, named = registered(register)
        wrong = "" if gpus else f"{HAMI_REGISTER} cannot be read, so its GPUs are not used"
        return gpus, model or named, HAMI.gpus, wrong
    count = amounts.get(ALIYUN_COUNT, 0)
    if ALIYUN_MEMORY in amounts and 0 < count <= MOST_GPUS:
        counted = NodeOffer("", 0, 0, others=tuple(amounts.items()))
        each = GpuOffer(memory=amounts[ALIYUN_MEMORY] // count * unit_of(counted))
        return (each,) * count, model, GPUSHARE.gpus, ""
    count = amounts.get(NVIDIA_GPU, 0)
    if count > MOST_GPUS:
        return (), model, None, f"{count} GPUs are more than can be, so none is used"
    # Of GPUs that are shared by turns each turn is offered as one: it has no memory of its own to be counted on.
    turns = whole_or_zero(labels.get(NVIDIA_REPLICAS, ""))
    memory = whole_or_zero(labels.get(NVIDIA_MEMORY, "")) // max(turns, 1)
    return (GpuOffer(memory=memory),) * count, model, None, ""


def whole_or_zero(text: str) -> int:
    """Returns the whole number that a label spells, 0 when it spells none."""
    return int(text) if text.isascii() and text.isdigit() else 0


def _read_links(node: SchedulingNode, gpus: int) -> tuple[tuple[tuple[int, ...], ...], str]:
    said = node.metadata.annotations.get(LINKS, "")
    if not said:
        return (), ""
    try:
        links = _links.decode(said)
    except msgspec.MsgspecError as error:
        return (), f"{LINKS} cannot be read: {error}"
    if len(links) != gpus or any(len(row) != gpus for row in links):
        return (), f"{LINKS} is not a matrix of {gpus} by {gpus}"
    return links, ""


def held_devices(pod: SchedulingPod, place: Place) -> tuple[int, ...]:
    """Returns which GPUs of its node a bound pod holds; nothing when nobody says."""
    ours = chosen_devices(pod, place.offer)
    if ours:
        return ours
    for dialect in DIALECTS:
        found = dialect.gpus.held(pod, place.offer) if dialect.gpus is not None else ()
        if found:
            return found
    return ()


def handing_over(request: Request, place: Place, placed: Placed) -> dict[str, str]:
    """Returns the annotations that go with a bind: which GPUs, for us and for the device plugin of the node."""
    if not placed.devices:
        return {}
    words = place.plugin or request.dialect.gpus
    told = words.hand_over(placed) if words is not None else {}
    return {CHOSEN_DEVICES: ",".join(map(str, placed.devices)), **told}
