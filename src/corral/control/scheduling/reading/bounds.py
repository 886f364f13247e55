"""What may be believed: amounts beyond any machine, or below nothing, are words that cannot be read.

Whoever decides reckons with 64 bits and makes tables as large as nodes are: one absurd number would stop all decisions. Pure.
"""

from typing import Final

from corral.placement.asks import WHOLE, GpuAsk, PodAsk
from corral.placement.offers import GpuOffer, NodeOffer

MOST_GPUS: Final = 4096
"""Of one node, and of one pod."""
MOST: Final = 2**56
"""Of anything else, in its smallest unit; the sums of many still fit into 64 bits."""


def believable_ask(ask: PodAsk) -> tuple[PodAsk, str]:
    """Returns an ask within bounds, and what was beyond them."""
    gpu = ask.gpu
    wrong = [
        name for name, amount in (("cpu", ask.cpu), ("memory", ask.memory), *ask.others) if not 0 <= amount <= MOST
    ]
    if not (0 <= gpu.number <= MOST_GPUS and 0 <= gpu.milli <= WHOLE and 0 <= gpu.memory <= MOST):
        wrong.append("GPUs")
    if not wrong:
        return ask, ""
    others = tuple((name, _within(amount)) for name, amount in ask.others)
    number = min(max(gpu.number, 0), MOST_GPUS)
    fewer = GpuAsk(number) if "GPUs" in wrong else gpu
    bounded = ask._replace(cpu=_within(ask.cpu), memory=_within(ask.memory), gpu=fewer, others=others)
    return bounded, f"it asks for an amount that cannot be: {', '.join(wrong)}"


def believable_offer(offer: NodeOffer) -> tuple[NodeOffer, str]:
    """Returns an offer within bounds, and what was beyond them; GPUs that cannot be are none."""
    wrong = [name for name, amount in _named(offer) if not 0 <= amount <= MOST]
    if len(offer.gpus) > MOST_GPUS or not all(map(_is_gpu, offer.gpus)):
        wrong.append("GPUs")
    if not wrong:
        return offer, ""
    others = tuple((name, _within(amount)) for name, amount in offer.others)
    gpus, links = ((), ()) if "GPUs" in wrong else (offer.gpus, offer.links)
    bounded = offer._replace(
        cpu=_within(offer.cpu), memory=_within(offer.memory), pods=_within(offer.pods), others=others
    )
    return bounded._replace(gpus=gpus, links=links), f"it offers an amount that cannot be: {', '.join(wrong)}"


def _named(offer: NodeOffer) -> tuple[tuple[str, int], ...]:
    return (("cpu", offer.cpu), ("memory", offer.memory), ("pods", offer.pods), *offer.others)


def _is_gpu(gpu: GpuOffer) -> bool:
    return 0 <= gpu.milli <= WHOLE and 0 <= gpu.memory <= MOST


def _within(amount: int) -> int:
    return min(max(amount, 0), MOST)
