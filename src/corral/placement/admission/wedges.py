"""Wedges: holds that belong to no pod, and keep for a gang what is free already of the seats that it will have."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from corral.placement.admission.amounts import CPU, GPU, MEMORY, Amounts, add, amounts_of_pod, subtract
from corral.placement.asks import GpuAsk, PodAsk, Seat


class Hold(NamedTuple):
    """A seat and what is taken there."""

    seat: Seat
    ask: PodAsk


def wedges_of(name: str, seats: Iterable[Hold], going: Iterable[Hold]) -> tuple[Hold, ...]:
    """Returns holds for what seats need beyond what pods that go hold there: the rest becomes free when these have gone."""
    needed, nodes = list(seats), {hold.seat.node for hold in seats}
    by_node: dict[str, Amounts] = {}
    by_device: dict[tuple[str, int], tuple[int, int]] = {}
    for sign, holds in ((1, needed), (-1, [one for one in going if one.seat.node in nodes])):
        for seat, ask in holds:
            rest = ask._replace(gpu=GpuAsk()) if seat.devices else ask
            (add if sign > 0 else subtract)(by_node.setdefault(seat.node, {}), amounts_of_pod(rest))
            for device in seat.devices:
                milli, memory = by_device.get((seat.node, device), (0, 0))
                by_device[seat.node, device] = (milli + sign * ask.gpu.milli, memory + sign * ask.gpu.memory)
    wedges = [
        Hold(
            Seat(f"kept/{name}/{node}/{device}", node, (device,)), PodAsk(gpu=GpuAsk(1, max(milli, 0), max(memory, 0)))
        )
        for (node, device), (milli, memory) in by_device.items()
        if milli > 0 or memory > 0
    ]
    for node, amounts in by_node.items():
        if any(amount > 0 for amount in amounts.values()):
            wedges.append(Hold(Seat(f"kept/{name}/{node}", node), _ask_of(amounts)))
    return tuple(wedges)


def _ask_of(amounts: Mapping[str, int]) -> PodAsk:
    rest = {name: amount for name, amount in amounts.items() if amount > 0}
    gpu, cpu, memory = rest.pop(GPU, 0), rest.pop(CPU, 0), rest.pop(MEMORY, 0)
    return PodAsk(cpu, memory, GpuAsk(1, gpu) if gpu else GpuAsk(), tuple(sorted(rest.items())))
