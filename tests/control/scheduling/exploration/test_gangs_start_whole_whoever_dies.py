"""The gang proof, of invariants I2, I3 and I4: every order of events in a small world, with a scheduler that may die at every step and a second one beside it.

| what is tried | reigns at once | deaths | promises taken back |
|---|---|---|---|
| a scheduler dies, the next one finishes, three times over | 1 | 3 | 0 |
| two believe that it is their turn, one of them dies | 2 | 1 | 0 |
| a scheduler dies, the next one takes back what it could finish | 1 | 1 | 1 |
| with CORRAL_TEST_FULL: two at once after a third, and two deaths | 2 | 2 | 0 |

Held in every state that can be reached: no node is given twice (I4), and the last state can still be reached. In every last state: each
gang is bound whole or not at all (I3), one of them is, nothing is on its way, and the ledger promises nothing.
"""

import os
from collections import Counter, deque

import pytest

from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.ledger import Decision, Ledger
from tests.control.scheduling.exploration.world import GANGS, NODES, PODS, SIZE, Limits, Reign, World, steps

FULL = bool(os.environ.get("CORRAL_TEST_FULL"))
BEGINNING = World()
HISTORIES = {
    "it dies again and again": Limits(crashes=3, at_once=1, reigns=4, taken_back=0),
    "two at once": Limits(crashes=1, at_once=2, reigns=2, taken_back=0),
    "the next one takes back": Limits(crashes=1, at_once=1, reigns=2, taken_back=1),
}
if FULL:
    HISTORIES["two at once after a third"] = Limits(crashes=2, at_once=2, reigns=3, taken_back=0)


class Explored:
    """All worlds that can be reached, and which can come from which."""

    def __init__(self, limits: Limits, start: World = BEGINNING) -> None:
        self.numbers: dict[World, int] = {start: 0}
        self.before: list[list[int]] = [[]]
        self.last: list[World] = []
        self._limits = limits

    def explore(self) -> None:
        """Visits every world once, and checks it."""
        waiting = deque(self.numbers)
        while waiting:
            world = waiting.popleft()
            refuse_doubles(world)
            here = self.numbers[world]
            is_last = True
            for following in steps(world, self._limits):
                is_last &= following == world
                if following not in self.numbers:
                    self.numbers[following] = len(self.numbers)
                    self.before.append([])
                    waiting.append(following)
                self.before[self.numbers[following]].append(here)
            if is_last:
                self.last.append(world)

    def stuck(self) -> int:
        """Returns how many worlds there are from which no last one can be reached."""
        reached = {self.numbers[world] for world in self.last}
        waiting = deque(reached)
        while waiting:
            for earlier in self.before[waiting.popleft()]:
                if earlier not in reached:
                    reached.add(earlier)
                    waiting.append(earlier)
        return len(self.numbers) - len(reached)


def refuse_doubles(world: World) -> None:
    given = Counter(pod.node for pod in world.pods if pod.node)
    assert all(count == 1 for count in given.values()), f"a node was given twice: {world}"


def bound_of(world: World, gang: str) -> int:
    return sum(bool(pod.node) for name, pod in zip(PODS, world.pods, strict=True) if name.startswith(gang))


@pytest.mark.parametrize("limits", HISTORIES.values(), ids=HISTORIES)
def test_no_node_is_given_twice_and_gangs_are_bound_whole(limits: Limits) -> None:
    explored = Explored(limits)
    explored.explore()
    assert explored.last
    for world in explored.last:
        assert sorted(bound_of(world, gang) for gang in GANGS) == [0, 0, SIZE], world
        assert not world.sent
        assert not world.ledger.decisions, world
    assert explored.stuck() == 0


def test_binds_that_name_no_version_would_give_a_node_twice() -> None:
    """A proof that nothing could fail would prove nothing."""
    weaker = Limits(crashes=1, at_once=1, reigns=2, taken_back=1, are_versions_named=False)
    with pytest.raises(AssertionError, match="given twice"):
        Explored(weaker).explore()


@pytest.mark.skipif(not FULL, reason="long: visits 160,000 states; runs with CORRAL_TEST_FULL=1")
def test_a_ledger_that_is_not_looked_at_again_would_give_a_node_twice() -> None:
    """The first has promised and died; the second has raised the epoch and sleeps before it lists; the third goes ahead."""
    promised = tuple(Decision(f"g0/{one}#0", ObjectKey("ns", f"g0/{one}"), NODES[one], (), "g0") for one in range(SIZE))
    ledger = Ledger(2, "s1", promised)
    asleep = World(ledger=ledger, ledger_version=3, reigns=(Reign("s1", "list", ledger, 3),), begun=2)
    weaker = Limits(crashes=0, at_once=2, reigns=3, taken_back=1, gangs=2, is_ledger_checked=False)
    with pytest.raises(AssertionError, match="given twice"):
        Explored(weaker, asleep).explore()
