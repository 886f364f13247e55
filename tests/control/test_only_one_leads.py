"""Leadership: one at a time, epochs that grow, clocks that may disagree (F02, F03).

The replicas' clocks are moved by hand; the lease lives in a real server.
"""

import asyncio
from collections.abc import AsyncIterator

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.retrying import NEVER
from corral.control.leadership import Leadership, LeadershipLostError, LeaseTimes, Term
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import LEASE
from corral.ports.object_store import Patch
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.fault_proxy import FaultProxy
from corral.testing.manual_clock import FixedRandomness, ManualClock
from corral.testing.waiting import eventually

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def proxy(api: ApiUnderTest) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(api.access) as proxy:
        yield proxy


@pytest.fixture
async def store(api: ApiUnderTest) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(api.access) as client:
        yield client


class Replica:
    """One competitor with a clock of its own."""

    def __init__(self, api: ApiUnderTest, store: AsyncClient, name: str, start: float = 1_000_000.0) -> None:
        self.clock = ManualClock(start)
        self.terms: list[Term] = []
        self.is_working = False
        key = api.key("leader")
        self.leadership = Leadership(
            store, key, name, clock=self.clock, randomness=FixedRandomness(), times=LeaseTimes()
        )

    async def work(self, term: Term) -> None:
        self.terms.append(term)
        self.is_working = True
        try:
            await asyncio.Event().wait()
        finally:
            self.is_working = False

    async def __aenter__(self) -> "Replica":
        self.task = asyncio.create_task(self.leadership.lead(self.work))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])

    async def live(self, seconds: float, *, step: float = 0.5) -> None:
        """Lets the replica's time pass slowly enough that its calls are answered in between."""
        for _ in range(int(seconds / step)):
            await eventually(lambda: self.clock.sleepers or self.task.done())
            await self.clock.advance(step)

    async def leads(self) -> None:
        await eventually(lambda: self.is_working)


async def lease(api: ApiUnderTest, store: AsyncClient) -> Object:
    spec: Object = (await store.get(LEASE, api.key("leader")))["spec"]
    return spec


async def test_the_first_leads_and_the_second_waits(api: ApiUnderTest, store: AsyncClient) -> None:
    async with Replica(api, store, "one") as one:
        await one.leads()
        async with Replica(api, store, "two") as two:
            for _ in range(60):
                await one.live(0.5)
                await two.live(0.5)
            assert (one.is_working, two.is_working) == (True, False)
            held = await lease(api, store)
            assert (held["holderIdentity"], held["leaseTransitions"]) == ("one", 1)
            assert one.leadership.verdicts()[0].detail == "leading, epoch 1"
            assert two.leadership.verdicts()[0].detail == "waiting"


async def test_who_stops_gives_the_lease_back_at_once(api: ApiUnderTest, store: AsyncClient) -> None:
    async with Replica(api, store, "two", start=5.0) as two:
        await two.leads()
    assert (await lease(api, store))["holderIdentity"] == ""
    async with Replica(api, store, "one") as one:
        await one.leads()
        assert one.terms[0].epoch == 2


async def test_f02_a_leader_that_stood_still_is_replaced_and_may_not_write(
    api: ApiUnderTest, store: AsyncClient
) -> None:
    """Invariant C8."""
    async with Replica(api, store, "one") as one:
        await one.leads()
        async with Replica(api, store, "two") as two:
            await two.live(20)  # one is frozen: its clock does not run, it renews nothing
            await two.leads()
            old, new = one.terms[0], two.terms[0]
            assert new.epoch == old.epoch + 1
            await one.clock.jump(20)  # it wakes up, and the world is 20 s older
            assert not old.is_valid
            with pytest.raises(LeadershipLostError):
                old.check()
            await eventually(lambda: not one.is_working)
            assert two.is_working
            assert new.is_valid
            assert (await lease(api, store))["holderIdentity"] == "two"


async def test_f03_wall_clocks_that_disagree_do_no_harm(api: ApiUnderTest, store: AsyncClient) -> None:
    async with Replica(api, store, "one", start=1_000_000.0) as one:
        await one.leads()
        async with Replica(api, store, "two", start=9_000_000.0) as two:  # a quarter of a year ahead
            for _ in range(60):
                await two.live(0.5)
                await one.live(0.5)
            assert (one.is_working, two.is_working) == (True, False)


async def test_a_leader_that_cannot_renew_steps_down_before_another_may_lead(
    api: ApiUnderTest, store: AsyncClient, proxy: FaultProxy
) -> None:
    async with AsyncClient(proxy.access(), policy=NEVER) as far:
        one = Replica(api, far, "one")
        async with one:
            await one.leads()
            await one.live(4)
            assert one.terms[0].is_valid
            await proxy.refuse()
            await one.live(11)
            await eventually(lambda: not one.is_working)
            assert LeaseTimes().renew_deadline < LeaseTimes().duration
            await proxy.accept()
            await one.live(4)
            await one.leads()
            assert [term.epoch for term in one.terms] == [1, 2]


async def test_a_touched_lease_is_kept_and_a_deleted_one_is_lost(api: ApiUnderTest, store: AsyncClient) -> None:
    async with Replica(api, store, "one") as one:
        await one.leads()
        await store.patch(LEASE, api.key("leader"), Patch("merge", {"metadata": {"labels": {"seen": "yes"}}}))
        await one.live(4)
        assert len(one.terms) == 1
        assert one.terms[0].is_valid
        await store.delete(LEASE, api.key("leader"))
        await one.live(4)
        await eventually(lambda: len(one.terms) == 2)


async def test_work_that_ends_ends_leadership(api: ApiUnderTest, store: AsyncClient) -> None:
    leadership = Leadership(
        store, api.key("leader"), "one", clock=ManualClock(), randomness=FixedRandomness(), times=LeaseTimes()
    )

    async def finish(term: Term) -> None:
        term.check()

    async def fail(term: Term) -> None:
        raise ValueError("a bug")

    await leadership.lead(finish)
    assert (await lease(api, store))["holderIdentity"] == ""
    with pytest.raises(ValueError, match="a bug"):
        await leadership.lead(fail)
    assert (await lease(api, store))["holderIdentity"] == ""


async def test_who_waits_is_ready_only_while_the_lease_is_reached(
    api: ApiUnderTest, store: AsyncClient, proxy: FaultProxy
) -> None:
    async with Replica(api, store, "one") as one, AsyncClient(proxy.access(token="any"), policy=NEVER) as far:
        await one.leads()
        async with Replica(api, far, "two") as two:
            waiting = two.leadership
            assert waiting.readiness() == [(f"lease {api.key('leader')}", False, "waiting: not asked for yet")]
            await eventually(lambda: waiting.readiness()[0].is_well)
            await proxy.refuse()
            await two.live(3)
            (verdict,) = waiting.readiness()
            assert not verdict.is_well
            assert verdict.detail.startswith("waiting: ")
            assert waiting.verdicts()[0].is_well
            await proxy.accept()
            await two.live(3)
            assert waiting.readiness()[0].is_well


async def test_a_namespace_that_is_missing_is_named_once(store: AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    clock, nowhere = ManualClock(), ObjectKey("nope-ns", "leader")
    leadership = Leadership(store, nowhere, "one", clock=clock, randomness=FixedRandomness())

    async def work(_: Term) -> None:
        raise AssertionError("there is nothing to lead with")

    task = asyncio.create_task(leadership.lead(work))
    for _ in range(3):
        await eventually(lambda: clock.sleepers or task.done())
        await clock.advance(2.5)
    task.cancel()
    await asyncio.wait([task])
    (verdict,) = leadership.readiness()
    assert verdict == ("lease nope-ns/leader", False, "waiting: the namespace nope-ns of the lease does not exist")
    (said,) = [record for record in caplog.records if record.getMessage() == "lease not reached"]
    assert said.levelname == "WARNING"
    assert "kubectl create namespace nope-ns" in vars(said)["hint"]
