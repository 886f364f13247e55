"""Small gangs leave the last whole nodes to the large ones that are expected; not for ever, and nobody gives way for it meanwhile."""

import msgspec

from corral.placement.admission.cycle import Terms
from corral.placement.admission.fleets import FleetRoom
from corral.placement.asks import GpuAsk, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.potentials.policies import Keeping, policy
from corral.placement.potentials.statistics import Statistics
from tests.domain.placement.admission.stage import GIB, Stage

MIX = Statistics(((PodAsk(1000, 0, GpuAsk(1)), 8 / 9), (PodAsk(8000, GIB, GpuAsk(8)), 1 / 9)))
"""Half of all GPUs are asked for by pods of eight, and that is known exactly."""
POLICY = msgspec.structs.replace(policy("default", MIX), keeping=Keeping(surely=0.0, likely=1.0))


class _Stage(Stage):
    room = staticmethod(lambda: FleetRoom(Fleet(), POLICY))


def _full() -> _Stage:
    """Returns two nodes, of which one is full of small gangs while the other is kept."""
    stage = _Stage(8, 8, terms=Terms(rest=0.0))
    for index in range(8):
        stage.ask(f"small-{index}")
    assert len(stage.starts()) == 8
    return stage


def test_a_small_gang_leaves_a_whole_node_idle_and_is_told_why() -> None:
    stage = _full()
    stage.ask("late")

    cycle = stage.cycle(after=1)

    assert [one.code for one in cycle.refused] == ["kept-for-larger"]
    assert cycle.reservation is None
    stage.ask("large", gpus=8)
    assert stage.starts() == ["large"]


def test_nobody_gives_way_while_there_is_idle_room() -> None:
    stage = _full()
    stage.ask("urgent", priority=5)

    assert stage.cycle(after=30).evictions == ()


def test_who_has_waited_long_enough_takes_what_is_kept() -> None:
    stage = _full()
    stage.ask("late")

    assert stage.starts(after=Terms().yields - 1) == []
    assert stage.starts(after=1) == ["late"]
