"""Random clusters with a gang that waits: small, and full of what gets into each other's way."""

from random import Random
from typing import NamedTuple

from corral.placement.asks import Gang, GpuAsk, Member, Neighbours, PodAsk, Refusal, Seat
from corral.placement.fleet import Expression, Fleet, RuleSet, Toleration
from corral.placement.gangs import plan
from corral.placement.offers import GpuOffer, NodeOffer, Taint
from corral.placement.potentials import policy
from corral.placement.remedies.supplies import Job

GIB = 1 << 30
POLICY = policy()
MODELS = ("A100", "V100")
MINE, THEIRS = 1, 2
"""Crowds: the pods of the gang, and those that run."""


class Case(NamedTuple):
    """A cluster and a gang."""

    seed: int
    offers: tuple[NodeOffer, ...]
    holds: tuple[tuple[Seat, PodAsk], ...]
    jobs: tuple[Job, ...]
    rules: tuple[RuleSet, ...]
    """Those of the gang, whose members name them by place, from 1 on."""
    gang: Gang

    def fleet(self) -> Fleet:
        """Returns a fleet of its own."""
        fleet = Fleet(self.seed)
        for offer in self.offers:
            fleet.put(offer)
        for one in self.rules:
            fleet.rules(one)
        for seat, ask in self.holds:
            fleet.hold(seat, ask)
        return fleet

    def waits(self) -> bool:
        """Whether the engine does not start the gang."""
        return isinstance(plan(self.fleet(), self.gang, POLICY), Refusal)


def random_case(seed: int, nodes: int = 6, gpus: int = 8) -> Case:
    """Returns a random cluster of up to so many nodes with up to so many GPUs each."""
    drawn = Random(seed)
    offers = tuple(_offer(drawn, index, gpus) for index in range(drawn.randint(1, nodes)))
    counts = drawn.random() < 0.3
    fleet = Fleet(seed)
    for offer in offers:
        fleet.put(offer)
    jobs, holds = _running(drawn, fleet)
    rules = tuple(dict.fromkeys(_rules(drawn) for _ in range(2))) if drawn.random() < 0.4 else ()
    case = Case(seed, offers, holds, jobs, rules, _gang(drawn, len(rules)))
    if counts:
        return _counted_twice(case)
    if drawn.random() < 0.15:
        return _choosy(drawn, case)
    # What waits for good is seldom what people ask about: most gangs would fit if nobody else were there.
    for _ in range(8 if drawn.random() < 0.7 else 0):
        if case.waits() and not case._replace(holds=()).waits():
            break
        case = case._replace(gang=_gang(drawn, len(rules)))
    return case


def _counted_twice(case: Case) -> Case:
    """The same where nodes count whole GPUs as a resource as well, as device plugins do."""
    offers = (one._replace(others=(("nvidia.com/gpu", len(one.gpus)), *one.others)) for one in case.offers)
    members = (one._replace(ask=_counting(one.ask)) for one in case.gang.members)
    return case._replace(
        offers=tuple(offers),
        holds=tuple((seat, _counting(ask)) for seat, ask in case.holds),
        gang=case.gang._replace(members=tuple(members)),
    )


def _choosy(drawn: Random, case: Case) -> Case:
    """The same where the gang wishes for neighbours: away from those who run, with them, or apart from each other."""
    wish = Neighbours(
        drawn.choice(["apart", "together", "even"]),
        drawn.choice([MINE, THEIRS]),
        drawn.choice(["node", "rack", "zone"]),
    )
    members = (one._replace(ask=one.ask._replace(crowds=(MINE,), neighbours=(wish,))) for one in case.gang.members)
    holds = tuple((seat, ask._replace(crowds=(THEIRS,))) for seat, ask in case.holds)
    return case._replace(holds=holds, gang=case.gang._replace(members=tuple(members)))


def _counting(ask: PodAsk) -> PodAsk:
    if not ask.gpu.number or ask.gpu.is_share:
        return ask
    return ask._replace(others=tuple(sorted({**dict(ask.others), "nvidia.com/gpu": ask.gpu.number}.items())))


def _offer(drawn: Random, index: int, most: int) -> NodeOffer:
    gpus = min(most, drawn.choice([0, 1, 2, 4, 4, 8]))
    memory = drawn.choice([0, 16_000, 40_000])
    labels = {"zone": drawn.choice("ab"), "rack": f"r{index // 2}", "disk": drawn.choice(["ssd", "hdd"])}
    return NodeOffer(
        f"n{index}",
        drawn.choice([8, 16, 64]) * 1000,
        drawn.choice([32, 128]) * GIB,
        drawn.choice([3, 110, 110]),
        tuple(GpuOffer(f"uuid-{index}-{at}", drawn.choice([1000] * 9 + [0]), memory) for at in range(gpus)),
        drawn.choice(MODELS) if gpus else "",
        others=(("rdma", 2),) if drawn.random() < 0.3 else (),
        labels=tuple(sorted(labels.items())),
        taints=(Taint("team", drawn.choice("xy")),) if drawn.random() < 0.15 else (),
        is_closed=drawn.random() < 0.15,
    )


def _running(drawn: Random, fleet: Fleet) -> tuple[tuple[Job, ...], tuple[tuple[Seat, PodAsk], ...]]:
    """Jobs of one class each, placed by the engine as if their nodes were open to all."""
    jobs, holds = [], []
    for index in range(drawn.randint(0, 6)):
        gpu = drawn.choice(
            [GpuAsk(), GpuAsk(1), GpuAsk(1), GpuAsk(2), GpuAsk(4), GpuAsk(1, 300), GpuAsk(1, 700), GpuAsk(2, 500)]
        )
        ask = PodAsk(drawn.choice([1, 2, 4, 6]) * 1000, drawn.choice([1, 8, 24]) * GIB, gpu)
        pods = tuple(f"j{index}-{at}" for at in range(drawn.choice([1, 1, 2, 3, 4])))
        gang = Gang(
            f"j{index}", tuple(Member(uid, ask) for uid in pods), 1, strategy=drawn.choice(["bundle", "spread"])
        )
        answer = plan(fleet, gang, POLICY)
        for seat in getattr(answer, "seats", ()):
            fleet.hold(seat, ask)
            holds.append((seat, ask))
        jobs.append(Job(f"j{index}", f"job-{index}", pods, drawn.choice([0, 0, 10])))
    return tuple(jobs), tuple(holds)


def _rules(drawn: Random) -> RuleSet:
    selector = drawn.choice([(), (), (("zone", "a"),), (("zone", "b"),), (("disk", "ssd"), ("zone", "a"))])
    terms: list[tuple[tuple[Expression, ...], ...]] = [
        (),
        (),
        ((Expression("rack", "In", ("r0", "r1")),),),
        ((Expression("disk", "NotIn", ("hdd",)), Expression("rack", "Exists")),),
        ((Expression("rack", "In", ("r1",)), Expression("disk", "In", ("hdd",))), (Expression("zone", "In", ("b",)),)),
    ]
    tolerations = drawn.choice([(), (), (Toleration("team", "Equal", "x"),)])
    return RuleSet(selector, drawn.choice(terms), tolerations)


def _gang(drawn: Random, rules: int) -> Gang:
    classes = [_ask(drawn, rules) for _ in range(drawn.choice([1, 1, 1, 2, 2, 3]))]
    if drawn.random() < 0.5:  # members of one job mostly have the same rules
        classes = [one._replace(rules=classes[0].rules) for one in classes]
    size = drawn.choice([1, 1, 2, 3, 4, 6])
    asks = [classes[min(index, len(classes) - 1)] for index in range(size)]
    minimum = size if drawn.random() < 0.75 else drawn.randint(1, size)
    members = tuple(Member(f"gang-{index}", ask) for index, ask in enumerate(asks))
    within = drawn.choice(["zone", "rack"]) if drawn.random() < 0.2 else ""
    strategy = drawn.choice(["", "", "bundle", "spread"])
    return Gang("gang", members, minimum, strategy=strategy, within=within)


def _ask(drawn: Random, rules: int) -> PodAsk:
    gpu = GpuAsk(drawn.choice([1, 1, 2, 2, 4, 8]))
    form = drawn.random()
    if form < 0.2:
        gpu = GpuAsk(drawn.choice([1, 1, 1, 2]), drawn.choice([250, 500, 600]))
    elif form < 0.3:
        gpu = GpuAsk(drawn.choice([1, 1, 2]), memory=drawn.choice([6_000, 12_000]))
    elif form < 0.35:
        gpu = GpuAsk()
    if gpu.number and drawn.random() < 0.15:
        gpu = gpu._replace(models=(drawn.choice(MODELS),))
    if gpu.number == 1 and drawn.random() < 0.15:
        gpu = gpu._replace(devices=(drawn.choice(["0", "1", "uuid-0-0"]),))
    return PodAsk(
        drawn.choice([1, 4, 8, 16, 40]) * 1000,
        drawn.choice([1, 16, 64]) * GIB,
        gpu,
        (("rdma", 1),) if drawn.random() < 0.1 else (),
        drawn.randint(1, rules) if rules else 0,
    )
