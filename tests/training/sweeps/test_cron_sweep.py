"""The operator dies before and after each of its calls for a cron: each minute has one job, or is counted as missed.

Invariants R1, R2, R3 and R4: no job comes twice, the latest comes at last, each time counts once, no two at once.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from corral.kinds.cron.cron import CRON
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.ports.object_store import Page, Scope
from corral.reconcile.moments import seconds_of, stamp_of
from tests.training.sweeps.crashes import Crash, Moment
from tests.training.sweeps.cron_rehearsal import KIND, MINUTES, CronEnd, CronRehearsal
from tests.training.sweeps.depth import sampled
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.troubled_store import Trouble

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1200)]

ALLOW: Object = {"historyLimit": 1}
FORBID: Object = {"concurrencyPolicy": "Forbid", "historyLimit": 0}
REPLACE: Object = {"concurrencyPolicy": "Replace", "historyLimit": 2}


async def _clean(api: InProcessApi, spec: Object) -> CronEnd:
    return await CronRehearsal(api, spec, lambda _: Trouble()).run()


async def test_every_minute_has_its_job(api: InProcessApi) -> None:
    end = await _clean(api, ALLOW)
    assert end.made == tuple(range(2, 2 + MINUTES))
    assert (end.missed, end.most_at_once, end.history, end.writes_at_rest) == (0, 2, 1, 0)


async def test_forbidden_jobs_come_when_the_others_have_ended(api: InProcessApi) -> None:
    end = await _clean(api, FORBID)
    assert (end.most_at_once, end.history) == (1, 0)
    assert len(end.made) + end.missed in (MINUTES - 1, MINUTES), "the last may still wait"
    assert end.left == 1


async def test_replaced_jobs_go_first(api: InProcessApi) -> None:
    end = await _clean(api, REPLACE)
    assert end.made == tuple(range(2, 2 + MINUTES))
    assert (end.missed, end.most_at_once, end.history) == (0, 1, 2)


@pytest.mark.parametrize("spec", [ALLOW, FORBID, REPLACE], ids=["Allow", "Forbid", "Replace"])
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_whenever_the_operator_dies_the_next_one_goes_on(api: InProcessApi, spec: Object, moment: Moment) -> None:
    wanted = await _clean(api, spec)
    wrong = {}
    for number in sampled(range(1, len(wanted.calls) + 1), one_of=4, shift=2 * (moment == "after")):
        seen = await CronRehearsal(api, spec, _dying(number, moment)).run()
        if not _is_alike(wanted, seen, is_timed=spec is not FORBID):
            wrong[number, seen.calls[number - 1]] = seen
    assert not wrong


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_minutes_without_an_operator_are_counted_and_only_the_latest_is_made_up_for(
    api: InProcessApi, moment: Moment
) -> None:
    wanted = await _clean(api, ALLOW)
    wrong = {}
    for number in sampled(range(1, len(wanted.calls) + 1), one_of=6, shift=3 * (moment == "after")):
        seen = await CronRehearsal(api, ALLOW, _dying(number, moment), away=3).run()
        last = max(wanted.made)
        is_complete = seen.uids + seen.missed == MINUTES or max(seen.made) > last
        if len(set(seen.made)) != seen.uids or max(seen.made) < last or not is_complete:
            wrong[number, seen.calls[number - 1]] = seen
    assert not wrong


def _is_alike(wanted: CronEnd, seen: CronEnd, *, is_timed: bool) -> bool:
    """Whether a run came to the same end; when a waiting job is made depends on when the one before was seen to end."""
    if len(set(seen.made)) != seen.uids or (seen.most_at_once, seen.history) != (wanted.most_at_once, wanted.history):
        return False
    if is_timed:
        return (seen.made, seen.missed) == (wanted.made, wanted.missed)
    return seen.uids + seen.missed in (MINUTES - 1, MINUTES)


def _dying(number: int, moment: Moment) -> Callable[[int], Trouble]:
    return lambda life: Crash(number, moment) if life == 0 else Trouble()


class _OldView(Trouble):
    """Lists crons as they were before the first job was made."""

    def listed(self, resource: ApiResource, scope: Scope, page: Page[Any]) -> Page[Any]:
        """Returns the page with what was long ago."""
        if resource != CRON:
            return page
        aged = [{**one, "metadata": {**one["metadata"], "resourceVersion": "1"}} for one in page.items]
        for one in aged:
            since = seconds_of(one["status"]["inForce"]["since"]) or 0.0
            kept = {field: one["status"][field] for field in ("inForce", "conditions")}
            one["status"] = {**kept, "nextScheduleTime": stamp_of(since // 60 * 60 + 60)}
        return msgspec.structs.replace(page, items=aged)


async def test_a_view_that_is_old_makes_no_job_again(api: InProcessApi) -> None:
    """R1: the job of the latest time has ended and is gone, so only the server can tell that there was one."""
    spec: Object = {"historyLimit": 0}
    clean = await CronRehearsal(api, spec, lambda _: Trouble(), lasting=0).run()
    last = max(at for at, call in enumerate(clean.calls, 1) if call == f"delete {KIND}")

    def troubles(life: int) -> Trouble:
        return Crash(last, "after") if life == 0 else _OldView()

    seen = await CronRehearsal(api, spec, troubles, lasting=0).run()
    assert (seen.made, seen.uids) == (clean.made, clean.uids)
    assert "get Cron" in seen.calls[last:]
