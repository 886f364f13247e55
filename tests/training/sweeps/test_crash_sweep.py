"""The operator dies before and after each of its API calls, another one takes over, and the end is always the same.

Guards T1 (no job is lost), T2 (no doubled pod), T3 (one end), T4 (failures count once), T5 (failures are told before their
pods go), T6 (nothing is left over) and T7 (writes stop): F01 of the fault matrix.
"""

from collections.abc import Callable

import pytest

from tests.training.sweeps.comparison import differences
from tests.training.sweeps.conftest import Clean
from tests.training.sweeps.crashes import Crash, Moment
from tests.training.sweeps.depth import sampled
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.rehearsal import Rehearsal
from tests.training.sweeps.scenarios import SCENARIOS, Scenario
from tests.training.sweeps.troubled_store import Trouble

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1200)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
async def test_a_clean_run_deletes_what_the_scenario_says(clean: Clean, scenario: Scenario) -> None:
    end = await clean(scenario)
    assert end.deleted == sorted(scenario.deleted)
    assert end.complaints == []
    assert end.writes_at_rest == 0


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("at_once", [True, False], ids=["followed at once", "followed later"])
async def test_whenever_the_operator_dies_the_end_is_the_same(
    api: InProcessApi, clean: Clean, scenario: Scenario, moment: Moment, at_once: bool
) -> None:
    wanted = await clean(scenario)
    points = range(1, len(wanted.calls) + 1)
    wrong = {}
    for number in sampled(points, one_of=4, shift=2 * (moment == "after") + at_once):
        seen = await Rehearsal(api, scenario, _dying(number, moment, at_once)).run()
        if found := differences(wanted, seen):
            wrong[number, seen.calls[number - 1]] = found
    assert not wrong


def _dying(number: int, moment: Moment, at_once: bool) -> Callable[[int], Trouble]:
    return lambda life: Crash(number, moment, is_followed_at_once=at_once) if life == 0 else Trouble()
