"""Checks certificates without the engine: that what was given was there, that a gang got enough, and that the log is whole."""

from collections import Counter
from collections.abc import Iterable, Iterator

from corral.placement.asks import WHOLE, GpuAsk
from corral.placement.certificates.certificate import Certificate, NodeThen, Taken, digest_of
from corral.placement.offers import GpuOffer


def faults_in_log(certificates: Iterable[Certificate]) -> Iterator[str]:
    """Yields what is wrong with a log: with each certificate, and with how they follow one another."""
    before: Certificate | None = None
    for one in certificates:
        where = f"certificate {one.number} of epoch {one.epoch}"
        yield from (f"{where}: {fault}" for fault in faults(one))
        if before is not None and one.number != 1:
            if (one.previous, one.number, one.epoch) != (before.digest, before.number + 1, before.epoch):
                yield f"{where} does not follow {before.number} of epoch {before.epoch}"
        elif before is not None and one.epoch <= before.epoch:
            yield f"{where} begins a reign that is not later than {before.epoch}"
        before = one


def faults(one: Certificate) -> Iterator[str]:
    """Yields what is wrong with a certificate."""
    if one.digest != digest_of(one):
        yield "its digest is of something else"
    if one.seated + len(one.given) < one.minimum or not one.given:
        yield f"{one.seated + len(one.given)} places are less than the {one.minimum} that the gang needs"
    nodes = {node.offer.name: node for node in one.nodes}
    held = [taken.seat.uid for node in one.nodes for taken in node.holds]
    if len({*held, *(taken.seat.uid for taken in one.given)}) < len(held) + len(one.given):
        yield "a pod has two places"
    if one.within and len({dict(node.offer.labels).get(one.within) for node in one.nodes} | {None}) != 2:
        yield f"its nodes do not share one {one.within}"
    for name in sorted({taken.seat.node for taken in one.given} ^ nodes.keys()):
        yield f"node {name} is given or told of, not both"
    for name, node in sorted(nodes.items()):
        fresh = [taken for taken in one.given if taken.seat.node == name]
        yield from (f"node {name}: {fault}" for fault in _faults_of_node(node, fresh))


def _faults_of_node(node: NodeThen, fresh: list[Taken]) -> Iterator[str]:
    offer, asked, used = node.offer, Counter[str](), Counter[str]()
    for taken, sums in [
        *((one, used) for one in node.holds),
        *((one, used) for one in fresh),
        *((one, asked) for one in fresh),
    ]:
        sums.update({"cpu": taken.ask.cpu, "memory": taken.ask.memory, "pods": 1, **dict(taken.ask.others)})
        for index in taken.seat.devices:
            if index < len(offer.gpus):
                milli, memory = _of_gpu(taken.ask.gpu, offer.gpus[index])
                sums.update({f"gpu {index}": milli, f"memory of gpu {index}": memory})
    size = Counter({"cpu": offer.cpu, "memory": offer.memory, "pods": offer.pods, **dict(offer.others)})
    size.update({f"gpu {index}": gpu.milli for index, gpu in enumerate(offer.gpus)})
    size.update({f"memory of gpu {index}": gpu.memory for index, gpu in enumerate(offer.gpus)})
    yield from (
        f"{used[name]} of {size[name]} {name} are given" for name in asked if asked[name] and used[name] > size[name]
    )
    if offer.is_closed:
        yield "it takes nobody"
    for taken in fresh:
        yield from _faults_of_gpus(taken, offer.gpus, offer.model)


def _of_gpu(ask: GpuAsk, gpu: GpuOffer) -> tuple[int, int]:
    if not ask.memory:
        return ask.milli, ask.milli * gpu.memory // WHOLE
    by_memory = ask.memory * WHOLE // gpu.memory if gpu.memory else WHOLE
    return by_memory if ask.milli >= WHOLE else ask.milli, ask.memory


def _faults_of_gpus(taken: Taken, gpus: tuple[GpuOffer, ...], model: str) -> Iterator[str]:
    ask, devices = taken.ask.gpu, taken.seat.devices
    if len(set(devices)) != ask.number or any(index >= len(gpus) or index < 0 for index in devices):
        yield f"{taken.seat.uid} asks for {ask.number} GPUs and got {devices}"
    elif ask.devices and not all({str(index), gpus[index].uuid} & set(ask.devices) for index in devices):
        yield f"{taken.seat.uid} got another GPU than it asks for"
    if ask.number and ((ask.models and model not in ask.models) or model in ask.refused_models):
        yield f"{taken.seat.uid} got a GPU of a model that it does not want"
