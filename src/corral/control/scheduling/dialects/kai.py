"""Shares of GPUs in the words of KAI: annotations with a fraction or MiB, and of how many GPUs; its queue label and topology."""

from corral.control.scheduling.dialects.dialect import Asked, Dialect, GpuWords, MalformedError, fraction, whole_number
from corral.kinds.scheduling.names import (
    KAI_DEVICES,
    KAI_FRACTION,
    KAI_MEMORY,
    KAI_PREFERRED_TOPOLOGY,
    KAI_QUEUE,
    KAI_REQUIRED_TOPOLOGY,
    NVIDIA_GPU,
)
from corral.placement.asks import GpuAsk


def _ask(asked: Asked) -> GpuAsk:
    share, memory, devices = asked.said(KAI_FRACTION), asked.said(KAI_MEMORY), asked.said(KAI_DEVICES)
    if share and memory:
        raise MalformedError(f"{KAI_FRACTION} and {KAI_MEMORY} exclude each other")
    if asked.amount(NVIDIA_GPU):
        raise MalformedError(
            f"{KAI_FRACTION if share else KAI_MEMORY} and whole GPUs ({NVIDIA_GPU}) exclude each other"
        )
    number = whole_number(KAI_DEVICES, devices, 256) if devices else 1
    if share:
        return GpuAsk(number, fraction(KAI_FRACTION, share))
    return GpuAsk(number, memory=whole_number(KAI_MEMORY, memory, 10_000_000))


KAI = Dialect(
    "kai",
    GpuWords(frozenset(), frozenset({KAI_FRACTION, KAI_MEMORY}), _ask),
    queue=KAI_QUEUE,
    within=KAI_REQUIRED_TOPOLOGY,
    near=KAI_PREFERRED_TOPOLOGY,
)
