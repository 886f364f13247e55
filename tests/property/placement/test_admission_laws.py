"""Whatever arrives, ends and is evicted, the invariants of admission hold (Q1 to Q6)."""

from itertools import combinations
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from corral.placement.admission.cycle import Terms
from corral.placement.admission.queues import QueueTerms
from corral.placement.admission.victims import sacrifice
from tests.property.placement.desk_model import World, entry_for, fits_without, victims_for

QUEUES = ("a", "b", "c")


def amounts(number: int | None) -> tuple[tuple[str, int], ...]:
    """Returns so many GPUs, or that nothing is said of them."""
    return () if number is None else (("gpu", 1000 * number),)


@st.composite
def queue_trees(draw: st.DrawFn) -> list[QueueTerms]:
    """Draws three queues, two of them perhaps below a fourth, with terms of all kinds."""
    parent = draw(st.sampled_from(("", "top")))
    trees = [QueueTerms("top", limit=amounts(draw(st.sampled_from((None, None, 10)))))]
    for name in QUEUES:
        guarantee = draw(st.sampled_from((None, 2, 4)))
        lending = draw(st.sampled_from((None, None, 1))) if guarantee else None
        borrowing = draw(st.sampled_from((None, None, 3)))
        trees.append(
            QueueTerms(
                name,
                parent if name != "c" else "",
                amounts(guarantee),
                amounts(draw(st.sampled_from((None, None, 6)))),
                draw(st.integers(1, 3)),
                None if lending is None else amounts(lending),
                None if borrowing is None else amounts(borrowing),
            )
        )
    return trees


gangs = st.fixed_dictionaries(
    {
        "pods": st.integers(1, 3),
        "gpus": st.integers(1, 4),
        "queue": st.sampled_from(QUEUES),
        "priority": st.integers(0, 2),
        "run_time": st.sampled_from((None, 30.0, 300.0)),
        "is_preemptible": st.sampled_from((True, True, True, False)),
        "checkpoints": st.booleans(),
    }
)
worlds = st.tuples(
    st.lists(st.sampled_from((2, 4, 4, 8)), min_size=1, max_size=4),
    queue_trees(),
    st.sampled_from(("guarantee", "share", "nothing")),
)


class Desks(RuleBasedStateMachine):
    """Gangs that come, go, are evicted and come back, in any order."""

    world: World

    @initialize(world=worlds, on_fleet=st.booleans())
    def begin(self, world: Any, on_fleet: bool) -> None:
        sizes, queues, reclaims = world
        terms = Terms(patience=500, reclaims=reclaims, rest=5, placements_per_move=3)
        self.world = World(sizes, queues, terms, on_fleet)
        self.leaving: list[str] = []
        self.count = 0

    @rule(gang=gangs)
    def somebody_asks(self, gang: dict[str, Any]) -> None:
        self.count += 1
        self.world.ask(f"g{self.count:02}", **gang)

    @rule(choice=st.integers(0, 30))
    def somebody_ends(self, choice: int) -> None:
        if self.world.claims:
            uid = sorted(self.world.claims)[choice % len(self.world.claims)]
            self.world.end(uid)
            self.leaving = [one for one in self.leaving if one != uid]

    @rule(after=st.sampled_from((0.0, 1.0, 15.0, 600.0)))
    def a_cycle_is_decided(self, after: float) -> None:
        cycle = self.world.cycle(after, at_once=False)
        self.leaving += [one.gang for one in cycle.evictions] + [one.gang for one in cycle.migrations]

    @rule(choice=st.integers(0, 30))
    def somebody_leaves_as_told(self, choice: int) -> None:
        if self.leaving:
            self.world.come_back(self.leaving.pop(choice % len(self.leaving)))

    @invariant()
    def books_are_right(self) -> None:
        self.world.check_books()


Desks.TestCase.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestWhateverHappensTheBooksAreRight = Desks.TestCase


def filled(world: Any, asked: list[dict[str, Any]], rest: float = 0.0) -> World:
    """Returns a world in which gangs asked one after the other, each seen by a cycle of its own."""
    sizes, queues, reclaims = world
    made = World(sizes, queues, Terms(patience=1e9, reclaims=reclaims, rest=rest, placements_per_move=0))
    for index, one in enumerate(asked):
        made.ask(f"g{index:02}", **one)
        made.cycle(after=7.0, at_once=False)
        for uid in tuple(made.desk.ground.evicted):
            made.come_back(uid)
    return made


@settings(max_examples=80, deadline=None)
@given(worlds, st.lists(gangs, min_size=2, max_size=12))
def test_evictions_come_to_an_end(world: Any, asked: list[dict[str, Any]]) -> None:
    """Q5: when nothing arrives and nothing ends, evictions stop, although everybody who is evicted asks again at once."""
    made = filled(world, asked)
    for _ in range(2 * len(asked) + 10):
        made.cycle(after=30.0)
    made.evictions = 0
    for _ in range(20):
        made.cycle(after=30.0)
    assert made.evictions == 0


@settings(max_examples=60, deadline=None)
@given(worlds, st.lists(gangs, min_size=3, max_size=10), st.integers(1, 3), st.integers(1, 4))
def test_nobody_gives_way_who_could_have_stayed_and_no_cheaper_set_would_do(
    world: Any, asked: list[dict[str, Any]], pods: int, gpus: int
) -> None:
    """Q4: the victims of a gang are irreducible, and of least cost among all sets when they are few enough to try."""
    made = filled(world, asked)
    made.now += 50
    made.ask("new", pods, gpus, queue="a", priority=3)
    victims = victims_for(made, "new")
    found = sacrifice(made.desk.ground, entry_for(made, "new"), victims)
    feasible = [
        chosen
        for size in range(1, len(victims) + 1)
        for chosen in combinations(victims, size)
        if fits_without(made, "new", list(chosen))
    ]
    if found is None:
        assert not feasible
        return
    if not found.victims:
        return
    for one in found.victims:
        rest = [other for other in found.victims if other is not one]
        assert not rest or not fits_without(made, "new", rest)
    least = min(sum(one.lost for one in chosen) for chosen in feasible)
    assert sum(one.lost for one in found.victims) <= least + 1e-6


@settings(max_examples=30, deadline=None)
@given(worlds, st.lists(gangs, min_size=2, max_size=12))
def test_the_same_calls_lead_to_the_same_decisions(world: Any, asked: list[dict[str, Any]]) -> None:
    """Q6: no clock, no chance, no order of sets."""
    first, second = filled(world, asked), filled(world, asked)
    for _ in range(5):
        assert first.cycle(after=30.0) == second.cycle(after=30.0)
