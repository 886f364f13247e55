"""Checks certificates without the engine: that what was given was there, that a gang got enough, and that the log is whole.

Fifty lines of code, as a test counts, without imports and docstrings: short enough to be read before they are believed. Which nodes
the rules of a pod allow is not in a certificate, and not checked.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from corral.placement.asks import WHOLE
from corral.placement.certificates.certificate import BEGINNING, Certificate, Taken, digest_of
from corral.placement.offers import NodeOffer


def faults_in_log(certificates: Iterable[Certificate]) -> Iterator[str]:
    """Yields what is wrong with a log: with each certificate, and with how they follow one another."""
    number, epoch, digest = 0, -1, BEGINNING
    for one in certificates:
        where = f"certificate {one.number} of epoch {one.epoch}"
        yield from (f"{where}: {fault}" for fault in faults(one))
        begins = (one.number, one.previous) == (1, BEGINNING) and one.epoch > epoch
        if not begins and (one.number, one.previous, one.epoch) != (number + 1, digest, epoch):
            yield f"{where} does not follow certificate {number} of epoch {epoch}"
        number, epoch, digest = one.number, one.epoch, one.digest


def faults(one: Certificate) -> Iterator[str]:
    """Yields what is wrong with a certificate."""
    uids = [taken.seat.uid for part in (one.given, *(node.holds for node in one.nodes)) for taken in part]
    shared = {dict(node.offer.labels).get(one.within, "") for node in one.nodes}
    given_on, told_of = {taken.seat.node for taken in one.given}, [node.offer.name for node in one.nodes]
    wrong = {"its digest is of something else": one.digest != digest_of(one)}
    wrong["fewer places than the gang needs"] = not one.given or one.seated + len(one.given) < one.minimum
    wrong["a pod has two places"] = len(set(uids)) < len(uids)
    wrong[f"its nodes do not share one {one.within}"] = one.within != "" and (len(shared) > 1 or "" in shared)
    wrong["other nodes are told of than places are given on"] = sorted(told_of) != sorted(given_on)
    yield from (fault for fault, is_so in wrong.items() if is_so)
    for offer, holds in one.nodes:
        fresh = [taken for taken in one.given if taken.seat.node == offer.name]
        yield from (f"node {offer.name}: {fault}" for fault in _faults_of_node(offer, holds, fresh))


def _faults_of_node(offer: NodeOffer, holds: Sequence[Taken], fresh: Sequence[Taken]) -> Iterator[str]:
    size = Counter({"cpu": offer.cpu, "memory": offer.memory, "pods": offer.pods, **dict(offer.others)})
    for index, gpu in enumerate(offer.gpus):
        size.update({f"gpu {index}": gpu.milli, f"memory of gpu {index}": gpu.memory})
    used = sum((_amounts(taken, offer) for taken in (*holds, *fresh)), Counter[str]())
    for name in sum((_amounts(taken, offer) for taken in fresh), Counter[str]()):
        if used[name] > size[name]:
            yield f"{used[name]} of {size[name]} {name} are given"
    if offer.is_closed or any(taken.seat.node != offer.name for taken in holds):
        yield "it takes nobody, or a pod of another node is told of"
    for (uid, _, devices), ask in ((taken.seat, taken.ask.gpu) for taken in fresh):
        said = [{str(index), gpu.uuid} for index, gpu in enumerate(offer.gpus) if index in devices]
        if not len(said) == len(devices) == ask.number or (
            ask.devices and not all(set(ask.devices) & one for one in said)
        ):
            yield f"{uid} asks for {ask.number} GPUs {ask.devices} and got {devices}"
        if ask.number and (_names(ask.refused_models, offer) or not _names(ask.models or (offer.model,), offer)):
            yield f"{uid} got a GPU of a model that it does not want"


def _amounts(taken: Taken, offer: NodeOffer) -> Counter[str]:
    (cpu, memory, gpu, others), amounts = taken.ask[:4], Counter[str]()
    for index in taken.seat.devices:
        size = offer.gpus[index].memory if index < len(offer.gpus) else 0
        milli = (gpu.memory * WHOLE // size if size else WHOLE) if gpu.memory and gpu.milli >= WHOLE else gpu.milli
        amounts.update({f"gpu {index}": milli, f"memory of gpu {index}": gpu.memory or gpu.milli * size // WHOLE})
    return amounts + Counter({"cpu": cpu, "memory": memory, "pods": 1, **dict(others)})


def _names(models: Sequence[str], offer: NodeOffer) -> bool:
    name, *others = (f" {re.sub('[^0-9a-z]+', ' ', one.lower())} " for one in (offer.model, *models))
    return any(one in name for one in others)
