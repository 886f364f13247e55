"""Whole GPUs and MIG slices, as NVIDIA's device plugin offers them. A kubelet chooses the devices."""

from corral.control.scheduling.dialects.dialect import Asked, Dialect, GpuWords
from corral.kinds.scheduling.names import NVIDIA_GPU
from corral.placement.asks import GpuAsk


def _ask(asked: Asked) -> GpuAsk:
    return GpuAsk(asked.amount(NVIDIA_GPU))


PLAIN = Dialect("plain", GpuWords(frozenset({NVIDIA_GPU}), frozenset(), _ask))
"""MIG slices have resources of their own, which every node counts like any other."""
