"""The operator as a process dies by SIGKILL at requests all over a run, is started again, and the end is the same: F01.

Guards T1 to T6 over real connections; the whole sweep is played without processes in `test_crash_sweep`.
"""

import pytest

from tests.training.sweeps.comparison import differences
from tests.training.sweeps.depth import sampled
from tests.training.sweeps.live.live_run import Killer, LiveRun
from tests.training.sweeps.scenarios import GANG, RESTART, Scenario

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]
pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

POINTS = 8


@pytest.mark.parametrize("scenario", [RESTART, GANG], ids=lambda one: one.name)
async def test_a_killed_process_leaves_no_trace(live: LiveRun, scenario: Scenario) -> None:
    clean = await live.clean(scenario)
    assert clean.complaints == []
    assert clean.deleted == sorted(scenario.deleted)
    numbers = [1 + len(clean.calls) * at // POINTS for at in range(POINTS)]
    wrong = {}
    for at, number in sampled(list(enumerate(numbers)), one_of=2, shift=scenario is GANG):
        seen = await live.play(scenario, Killer(number, after=at % 4 < 2))
        if found := differences(clean, seen):
            wrong[number] = found
    assert not wrong
