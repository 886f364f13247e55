"""Events against real servers: what matters is told whatever else there was to tell, and nothing is told for ever."""

import logging
import secrets
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.randomness import SystemRandomness
from corral.control import event_recorder
from corral.control.event_recorder import EventRecorder
from corral.control.outcome import RetryAfter
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import runtime_of
from corral.kinds.objects import Object, key_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CONFIG_MAP, EVENT, NAMESPACE, SECRET
from corral.ports.object_store import Patch, Scope
from corral.reconcile.plan import Create, EmitEvent, Plan, Told
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.fault_proxy import FaultProxy, first_times, reply
from corral.testing.manual_clock import ManualClock

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio

WINDOW = 600


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def proxy(api: ApiUnderTest) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(api.access) as proxy:
        yield proxy


@pytest.fixture
async def client(proxy: FaultProxy) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(proxy.access()) as client:
        yield client


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def events(client: AsyncClient, clock: ManualClock) -> EventRecorder:
    return EventRecorder(client, clock, "test")


@pytest.fixture
async def owner(api: ApiUnderTest, client: AsyncClient) -> Object:
    return await client.create(CONFIG_MAP, {"metadata": {"name": "owner", "namespace": api.namespace}})


async def told(api: ApiUnderTest, client: AsyncClient) -> Counter[str]:
    """Returns how many events of each reason there are."""
    return Counter(one["reason"] for one in await client.list(EVENT, Scope(api.namespace)))


async def test_many_creations_do_not_silence_what_matters(
    api: ApiUnderTest, client: AsyncClient, events: EventRecorder, owner: Object
) -> None:
    for number in range(40):
        for what in ("Pod", "Service"):
            name = f"{what.lower()}-{number}"
            events.emit(EmitEvent(CONFIG_MAP, owner, f"SuccessfulCreate{what}", f"Created: {name}"))
    events.emit(EmitEvent(CONFIG_MAP, owner, "PodFailed", "out of memory", "Warning"))
    events.emit(EmitEvent(CONFIG_MAP, owner, "JobFailed", "failed", "Warning"), with_status=True)
    await events.flush()
    assert await told(api, client) == {
        "SuccessfulCreatePod": 25,
        "SuccessfulCreateService": 25,
        "PodFailed": 1,
        "JobFailed": 1,
    }
    assert events.counts.dropped == 30


async def test_what_a_status_tells_is_not_silenced_by_the_same_reason_elsewhere(
    api: ApiUnderTest, client: AsyncClient, events: EventRecorder, owner: Object
) -> None:
    for number in range(30):
        events.emit(EmitEvent(CONFIG_MAP, owner, "JobFailed", f"pod {number} could not be made", "Warning"))
    events.emit(EmitEvent(CONFIG_MAP, owner, "JobFailed", "the job has failed", "Warning"), with_status=True)
    await events.flush()
    found = await client.list(EVENT, Scope(api.namespace))
    assert [one for one in found if one["message"] == "the job has failed"]


async def test_what_a_status_tells_does_not_wait_behind_the_rest(
    api: ApiUnderTest, proxy: FaultProxy, events: EventRecorder, owner: Object
) -> None:
    for number in range(10):
        events.emit(EmitEvent(CONFIG_MAP, owner, "SuccessfulCreatePod", f"Created: {number}"))
    events.emit(EmitEvent(CONFIG_MAP, owner, "JobFailed", "failed", "Warning"), with_status=True)
    await events.flush()
    first = next(seen for seen in proxy.seen if "/events" in seen.path)
    assert b"JobFailed" in first.body


async def test_what_does_not_repeat_is_said_once_and_again_after_a_while(
    api: ApiUnderTest,
    client: AsyncClient,
    proxy: FaultProxy,
    events: EventRecorder,
    clock: ManualClock,
    owner: Object,
) -> None:
    said = EmitEvent(CONFIG_MAP, owner, "ImagePullBackOff", "no such image", "Warning", repeats=False)
    for _ in range(50):
        events.emit(said)
    await events.flush()
    events.emit(said)
    await events.flush()
    assert [seen.method for seen in proxy.seen if "/events" in seen.path] == ["POST"]
    assert (events.counts.sent, events.counts.dropped) == (1, 0)
    await clock.advance(WINDOW + 1)
    events.emit(said)
    await events.flush()
    assert await told(api, client) == {"ImagePullBackOff": 2}


async def test_what_could_not_be_said_may_be_said_again(
    api: ApiUnderTest, client: AsyncClient, proxy: FaultProxy, events: EventRecorder, owner: Object
) -> None:
    said = EmitEvent(CONFIG_MAP, owner, "ImagePullBackOff", "no such image", "Warning", repeats=False)
    proxy.fault_for = first_times(1, lambda seen: "/events" in seen.path, reply(403, "Forbidden"))
    for _ in range(3):
        events.emit(said)
        await events.flush()
    assert (events.counts.sent, events.counts.dropped) == (1, 1)
    assert await told(api, client) == {"ImagePullBackOff": 1}


async def test_in_a_namespace_that_goes_nothing_is_told_and_nothing_is_hurried(
    client: AsyncClient, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    space = f"going-{secrets.token_hex(4)}"
    await client.create(NAMESPACE, {"metadata": {"name": space}})
    held = {"metadata": {"name": "held", "namespace": space, "finalizers": ["example.com/held"]}}
    owner = await client.create(CONFIG_MAP, held)
    await client.delete(NAMESPACE, ObjectKey("", space))
    runtime = runtime_of(client, clock=clock, randomness=SystemRandomness())
    caplog.set_level(logging.INFO)
    failed = EmitEvent(CONFIG_MAP, owner, "FailedCreatePod", "Error creating: ", "Warning")
    for number in range(200):  # admission may see the namespace a moment later than its deletion
        wanted = {"metadata": {"name": f"late-{number}", "namespace": space}}
        plan = Plan.of(Create(SECRET, wanted, told=Told(failed=failed)))
        outcome = await PlanExecutor(runtime).run(key_of(owner), plan)
        if outcome == RetryAfter(300.0):
            break
    else:
        raise AssertionError(f"still {outcome}")
    runtime.events.emit(failed)
    await runtime.events.flush()
    assert (runtime.events.counts.sent, runtime.events.counts.dropped) == (0, 1)
    assert not [record for record in caplog.records if record.name == "corral.control.events"]
    await client.patch(CONFIG_MAP, key_of(owner), Patch("merge", {"metadata": {"finalizers": None}}))


async def test_what_is_remembered_is_bounded(
    events: EventRecorder, owner: Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_recorder, "_BUDGETS", 10)
    monkeypatch.setattr(event_recorder, "_REMEMBERED", 10)
    for number in range(100):
        events.emit(EmitEvent(CONFIG_MAP, owner, f"Reason{number}", "something", repeats=False))
    assert len(events._budgets) == len(events._kept_quiet) == 10
