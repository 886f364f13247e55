"""How queues stand, as numbers for Prometheus, read when somebody looks."""

from collections.abc import Iterator
from typing import Final

from corral.control.metrics import Labels, Reading, Samples
from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.kinds.scheduling.names import NVIDIA_GPU
from corral.placement.admission.amounts import CPU, GPU, Amounts

_THOUSANDTHS: Final = {GPU: NVIDIA_GPU, CPU: CPU}


def readings_of(desk: AdmissionDesk) -> tuple[Reading, ...]:
    """Returns what there is to read of all queues."""
    return (
        Reading(
            "corral_scheduler_queue_gangs",
            "Gangs of each queue itself, by whether they run or wait.",
            lambda: list(_gangs(desk)),
            ("queue", "state"),
        ),
        Reading(
            "corral_scheduler_queue_amount",
            "What each queue and those below it use, and what its waiting gangs want, in GPUs, cores, bytes and pieces.",
            lambda: list(_amounts(desk)),
            ("queue", "resource", "state"),
        ),
    )


def _gangs(desk: AdmissionDesk) -> Iterator[tuple[Labels, float]]:
    for name, stands in desk.standings():
        yield (name, "running"), float(stands.running)
        yield (name, "waiting"), float(stands.waiting)


def _amounts(desk: AdmissionDesk) -> Iterator[tuple[Labels, float]]:
    for name, stands in desk.standings():
        for state, amounts in (("used", stands.used), ("wanted", stands.wanted)):
            yield from _samples(name, state, amounts)


def _samples(queue: str, state: str, amounts: Amounts) -> Samples:
    # Whole GPUs are counted twice, as GPUs and as the pieces of a resource; whoever reads numbers wants one of them.
    named = {one: float(amount) for one, amount in amounts.items() if one not in _THOUSANDTHS}
    named |= {name: amounts.get(one, 0) / 1000 for one, name in _THOUSANDTHS.items()}
    return [((queue, name, state), amount) for name, amount in sorted(named.items()) if amount]
