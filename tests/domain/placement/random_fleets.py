"""Random fleets, asks and gangs for properties of placement, and a count that knows nothing of the engine's arrays."""

from collections import Counter
from collections.abc import Iterable

from hypothesis import strategies as st

from corral.placement.asks import WHOLE, Gang, GpuAsk, Member, PodAsk, Seat
from corral.placement.offers import GpuOffer, NodeOffer


def _gpu(number: int = 0, milli: int = WHOLE, memory: int = 0) -> GpuAsk:
    return GpuAsk(number, milli, memory)


def _pod(cpu: int, memory: int, gpu: GpuAsk, others: tuple[tuple[str, int], ...]) -> PodAsk:
    return PodAsk(cpu, memory, gpu, others)


gpu_asks = st.one_of(
    st.just(GpuAsk()),
    st.builds(_gpu, st.sampled_from((1, 1, 2, 3, 4))),
    st.builds(_gpu, st.just(1), st.sampled_from((190, 250, 500, 810))),
    st.builds(_gpu, st.integers(1, 2), st.just(WHOLE), st.sampled_from((3_000, 5_000, 8_000))),
    st.builds(_gpu, st.just(2), st.sampled_from((300, 600))),
    st.just(GpuAsk(1, 200, 9_000)),
    st.just(GpuAsk(1, models=("A100",))),
    st.just(GpuAsk(1, 500, devices=("0", "2"))),
)
asks = st.builds(
    _pod,
    st.sampled_from((0, 500, 1_000, 4_000)),
    st.sampled_from((0, 1, 3)),
    gpu_asks,
    st.sampled_from(((), (), (("rdma", 1),))),
)


@st.composite
def offers(draw: st.DrawFn, most: int = 4) -> list[NodeOffer]:
    found = []
    for index in range(draw(st.integers(1, most))):
        memory = draw(st.sampled_from((0, 8_000, 16_000)))
        gpus = (GpuOffer(memory=memory, numa=0, clique=""),) * draw(st.integers(0, 4))
        found.append(
            NodeOffer(
                f"n{index}",
                draw(st.sampled_from((2_000, 8_000))),
                draw(st.sampled_from((4, 100))),
                draw(st.sampled_from((2, 110))),
                gpus,
                draw(st.sampled_from(("A100", "T4"))),
                others=draw(st.sampled_from(((), (("rdma", 2),)))),
                labels=(("rack", draw(st.sampled_from(("r", "s")))),),
                is_closed=draw(st.sampled_from((False, False, False, True))),
            )
        )
    return found


def gang(members: Iterable[PodAsk], minimum: int, strategy: str = "", within: str = "", near: str = "") -> Gang:
    pods = tuple(Member(f"g-{index}", ask) for index, ask in enumerate(members))
    return Gang("g", pods, minimum, strategy=strategy, within=within, near=near)


def overcommitted(offers: Iterable[NodeOffer], held: Iterable[tuple[Seat, PodAsk]]) -> list[str]:
    """Counts what is held on each node from the seats alone and returns every amount that passes what the node has."""
    nodes = {offer.name: offer for offer in offers}
    used: Counter[tuple[str, str]] = Counter()
    for seat, ask in held:
        node = nodes[seat.node]
        used[seat.node, "cpu"] += ask.cpu
        used[seat.node, "memory"] += ask.memory
        used[seat.node, "pods"] += 1
        for name, amount in ask.others:
            used[seat.node, name] += amount
        if len(set(seat.devices)) != ask.gpu.number:
            return [f"{seat} has not {ask.gpu.number} different GPUs"]
        for device in seat.devices:
            size = node.gpus[device].memory
            memory = ask.gpu.memory or ask.gpu.milli * size // WHOLE
            milli = memory * WHOLE // size if ask.gpu.memory and ask.gpu.milli == WHOLE else ask.gpu.milli
            used[seat.node, f"gpu-{device}"] += milli
            used[seat.node, f"gpu-memory-{device}"] += memory
    limits = {
        (node.name, key): value
        for node in nodes.values()
        for key, value in {
            "cpu": node.cpu,
            "memory": node.memory,
            "pods": node.pods,
            **dict(node.others),
            **{f"gpu-{index}": gpu.milli for index, gpu in enumerate(node.gpus)},
            **{f"gpu-memory-{index}": gpu.memory for index, gpu in enumerate(node.gpus)},
        }.items()
    }
    return [f"{key}: {amount} of {limits.get(key, 0)}" for key, amount in used.items() if amount > limits.get(key, 0)]
