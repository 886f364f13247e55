"""G6: Bounds against every way to place a few pods on a few nodes."""

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from corral.placement.asks import GpuAsk, PodAsk
from corral.placement.offers import GpuOffer, NodeOffer
from corral.placement.replay.bounds import bounds_of

ASKS = (
    PodAsk(1, 0, GpuAsk(1)),
    PodAsk(3, 0, GpuAsk(2)),
    PodAsk(1, 0, GpuAsk(1, 810)),
    PodAsk(2, 0, GpuAsk(1, 190)),
    PodAsk(1, 0, GpuAsk(1, 500, models=("A",))),
    PodAsk(2, 0, GpuAsk()),
)


def offered(cpu: int, gpus: int, model: str) -> NodeOffer:
    return NodeOffer(f"{cpu}-{gpus}-{model}", cpu, 0, gpus=(GpuOffer(),) * gpus, model=model)


State = tuple[tuple[str, int, tuple[int, ...]], ...]


@cache
def most(state: State, asks: tuple[PodAsk, ...], *, may_skip: bool) -> int | None:
    """The most thousandths of GPUs that can be given out; None when not all can be placed."""
    if not asks:
        return 0
    ask, rest = asks[0], asks[1:]
    found = [most(state, rest, may_skip=may_skip)] if may_skip else []
    for place, (model, cpu, gpus) in enumerate(state):
        if cpu < ask.cpu or (ask.gpu.models and model not in ask.gpu.models):
            continue
        for left in ways(gpus, ask.gpu):
            after = (*state[:place], (model, cpu - ask.cpu, left), *state[place + 1 :])
            gained = most(tuple(sorted(after)), rest, may_skip=may_skip)
            found.append(None if gained is None else gained + ask.gpu.total)
    return max((one for one in found if one is not None), default=None)


def ways(gpus: tuple[int, ...], ask: GpuAsk) -> set[tuple[int, ...]]:
    if not ask.number:
        return {gpus}
    with_one = {
        tuple(sorted((*gpus[:index], left - ask.milli, *gpus[index + 1 :])))
        for index, left in enumerate(gpus)
        if left >= ask.milli
    }
    if ask.number == 1:
        return with_one
    return {way for one in with_one for way in ways(one, ask._replace(number=ask.number - 1))}


nodes = st.lists(
    st.builds(offered, st.integers(2, 6), st.integers(1, 2), st.sampled_from(("A", "B"))), min_size=1, max_size=2
)


@settings(max_examples=150, deadline=None)
@given(nodes, st.lists(st.sampled_from(ASKS), min_size=1, max_size=6))
def test_no_way_to_place_pods_passes_the_bounds(offers: list[NodeOffer], asks: list[PodAsk]) -> None:
    bounds = bounds_of(offers, asks)
    capacity = 1000 * sum(len(offer.gpus) for offer in offers)
    state: State = tuple(sorted((offer.model, offer.cpu, (1000,) * len(offer.gpus)) for offer in offers))
    best = most(state, tuple(asks), may_skip=True)
    assert best is not None
    assert bounds.free_choice >= 100 * best / capacity - 1e-6
    assert bounds.packable_prefix <= bounds.free_choice + 1e-6
    possible = [ask for ask in asks if most(state, (ask,), may_skip=False) is not None]
    packable = max(n for n in range(len(possible) + 1) if most(state, tuple(possible[:n]), may_skip=False) is not None)
    assert bounds.prefix >= 100 * sum(ask.gpu.total for ask in possible[:packable]) / capacity - 1e-6


def test_a_share_that_strands_the_rest_of_each_gpu_is_known_to_the_bound() -> None:
    ask = PodAsk(gpu=GpuAsk(1, 810))
    bounds = bounds_of([offered(0, 4, "A")], [ask] * 8)
    assert abs(bounds.free_choice - 81.0) < 1e-6
    assert abs(bounds.packable_prefix - 81.0) < 1e-6
