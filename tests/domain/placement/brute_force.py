"""Whether some pods can be placed at all, by trying every way; it shares nothing with the engine."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from corral.placement.asks import WHOLE, PodAsk
from corral.placement.offers import NodeOffer

Gpus = tuple[tuple[int, int, int], ...]
"""Thousandths left, MiB left, MiB at all."""
Node = tuple[int, int, int, Gpus, str, tuple[tuple[str, int], ...]]


def can_place(offers: Sequence[NodeOffer], asks: Sequence[PodAsk], level: str) -> bool:
    """Whether all pods fit at once, on nodes of one value of a label if a level is given."""
    open_ones = [offer for offer in offers if not offer.is_closed]
    domains = {dict(offer.labels).get(level, "") for offer in open_ones} if level else {""}
    return any(
        _fit(
            tuple(_node(offer) for offer in open_ones if not level or dict(offer.labels).get(level) == domain),
            tuple(sorted(asks)),
        )
        for domain in domains
    )


def fits(nodes: tuple[Node, ...], asks: Sequence[PodAsk]) -> bool:
    """Whether all pods fit at once on what is left of nodes."""
    return _fit(nodes, tuple(sorted(asks)))


def _node(offer: NodeOffer) -> Node:
    gpus = tuple((gpu.milli, gpu.memory, gpu.memory) for gpu in offer.gpus)
    return offer.cpu, offer.memory, offer.pods, gpus, offer.model, offer.others


@lru_cache(maxsize=1 << 18)
def _fit(nodes: tuple[Node, ...], asks: tuple[PodAsk, ...]) -> bool:
    if not asks:
        return True
    ask = asks[0]
    for place, node in enumerate(nodes):
        for after in _ways(node, ask):
            if _fit((*nodes[:place], after, *nodes[place + 1 :]), asks[1:]):
                return True
    return False


def _ways(node: Node, ask: PodAsk) -> list[Node]:
    cpu, memory, pods, gpus, model, others = node
    left = dict(others)
    if (
        ask.cpu > cpu
        or ask.memory > memory
        or pods < 1
        or any(left.get(name, 0) < amount for name, amount in ask.others)
    ):
        return []
    if ask.gpu.number and ask.gpu.models and model not in ask.gpu.models:
        return []
    named = [int(name) for name in ask.gpu.devices] or list(range(len(gpus)))
    fitting = [index for index in named if index < len(gpus) and _taken(gpus[index], ask) is not None]
    rest = tuple((name, amount - dict(ask.others).get(name, 0)) for name, amount in others)
    found = []
    for chosen in combinations(fitting, ask.gpu.number):
        after = tuple(_taken(gpu, ask) or gpu if index in chosen else gpu for index, gpu in enumerate(gpus))
        found.append((cpu - ask.cpu, memory - ask.memory, pods - 1, after, model, rest))
    return found


def _taken(gpu: tuple[int, int, int], ask: PodAsk) -> tuple[int, int, int] | None:
    milli, memory, size = gpu
    need_memory = ask.gpu.memory or ask.gpu.milli * size // WHOLE
    need_milli = ask.gpu.milli
    if ask.gpu.memory and ask.gpu.milli == WHOLE:
        need_milli = ask.gpu.memory * WHOLE // size if size else WHOLE
    if milli < need_milli or memory < need_memory:
        return None
    return milli - need_milli, memory - need_memory, size
