"""The operator sees the world late, with a gap, or in another order, and the end is always the same: F12, F17.

Guards T1 (no job is lost), T2 (no doubled pod), T3 (one end), T4 (failures count once), T5 (failures are told before their
pods go), T6 (nothing is left over) and T7 (writes stop). No pod is ever deleted that a clean run keeps.
"""

from functools import partial

import pytest

from tests.training.sweeps.comparison import differences
from tests.training.sweeps.conftest import Clean
from tests.training.sweeps.depth import FULL, sampled
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.rehearsal import Rehearsal
from tests.training.sweeps.scenarios import SCENARIOS, Scenario
from tests.training.sweeps.troubled_store import Trouble
from tests.training.sweeps.watch_troubles import Drop, Memory, Remember, Shuffle, Stale

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(3600)]

RESYNC = 5.0
SEEDS = 10_000 if FULL else 120
"""Over all scenarios together."""
ALL = 10**9


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
async def test_a_change_that_is_never_told_is_found_by_the_next_list(
    api: InProcessApi, clean: Clean, scenario: Scenario
) -> None:
    wanted = await clean(scenario)
    counting = Drop(0)
    await Rehearsal(api, scenario, partial(_always, counting), relist=RESYNC).run()
    assert counting.changes > 10
    wrong = {}
    for number in sampled(range(1, counting.changes + 1), one_of=4):
        drop = Drop(number)
        seen = await Rehearsal(api, scenario, partial(_always, drop), relist=RESYNC).run()
        if found := differences(wanted, seen):
            wrong[number] = found
    assert not wrong


@pytest.mark.timeout(3600)  # the full run plays well over a thousand seeds of each scenario
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
async def test_changes_may_come_late_twice_and_in_any_order(
    api: InProcessApi, clean: Clean, scenario: Scenario
) -> None:
    wanted = await clean(scenario)
    wrong = {}
    for seed in range(SEEDS // len(SCENARIOS)):
        run = Rehearsal(api, scenario, lambda _: Trouble())
        run.troubles = partial(_always, Shuffle(seed, run.clock))
        if found := differences(wanted, await run.run()):
            wrong[seed] = found
    assert not wrong


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
@pytest.mark.parametrize("part", ["everything", "the job", "the rest"])
@pytest.mark.parametrize("behind", [1, 10, ALL], ids=["1", "10", "all"])
async def test_an_operator_that_begins_with_an_old_view_does_no_harm(
    api: InProcessApi, clean: Clean, scenario: Scenario, part: str, behind: int
) -> None:
    wanted = await clean(scenario)
    wrong = {}
    for number in sampled(_writes(wanted.calls), one_of=8, shift=behind):
        memory = Memory()
        run = Rehearsal(api, scenario, lambda _: Trouble())

        def trouble(life: int, number: int = number, memory: Memory = memory, run: Rehearsal = run) -> Trouble:
            return Remember(number, memory) if life == 0 else Stale(memory, behind, part, run.clock)

        run.troubles = trouble
        if found := differences(wanted, await run.run()):
            wrong[number, wanted.calls[number - 1]] = found
    assert not wrong


def _always(trouble: Trouble, life: int) -> Trouble:
    return trouble


def _writes(calls: list[str]) -> list[int]:
    verbs = ("create", "patch", "delete")
    return [at for at, call in enumerate(calls, 1) if call.startswith(verbs) and not call.endswith("Event")]
