"""Small fleets, asks and gangs for tests of placement."""

from corral.placement.asks import Gang, GpuAsk, Member, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.offers import GpuOffer, NodeOffer


def node(name: str, gpus: int = 8, cpu: int = 64_000, memory: int = 1 << 38, **offered: object) -> NodeOffer:
    offer = NodeOffer(name, cpu, memory, gpus=(GpuOffer(memory=16_000),) * gpus, model="A100" if gpus else "")
    return offer._replace(**offered)  # type: ignore[arg-type]


def fleet_of(*offers: NodeOffer, seed: int = 0) -> Fleet:
    fleet = Fleet(seed)
    for offer in offers:
        fleet.put(offer)
    return fleet


def pod(gpus: int = 1, milli: int = 1000, cpu: int = 1000, memory: int = 1 << 20, **asked: object) -> PodAsk:
    return PodAsk(cpu, memory, GpuAsk(gpus, milli))._replace(**asked)  # type: ignore[arg-type]


def gang_of(*asks: PodAsk, name: str = "gang", minimum: int | None = None, **said: object) -> Gang:
    members = tuple(Member(f"{name}-{index}", ask) for index, ask in enumerate(asks))
    return Gang(name, members, len(asks) if minimum is None else minimum)._replace(**said)  # type: ignore[arg-type]
