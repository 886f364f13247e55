"""The plan executor against real servers and faults: F06 conflicts, F07 lost answers, F17 stale caches."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.retrying import RetryPolicy
from corral.adapters.system.clock import SystemClock
from corral.adapters.system.randomness import SystemRandomness
from corral.control.backoff import Backoff
from corral.control.controller import Controller, Watch, controller_keys, own_key
from corral.control.outcome import DONE, RetryAfter
from corral.control.plan_executor import PlanExecutor, planned
from corral.control.runtime import Runtime, runtime_of
from corral.errors import BugError, RetryError
from corral.kinds.objects import Object, is_controlled_by, key_of, owner_reference, uid_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import CONFIG_MAP, EVENT, NAMESPACE, SECRET
from corral.ports.object_store import Patch as StorePatch
from corral.ports.object_store import Scope
from corral.ports.refusals import ConflictError, InvalidError, NotFoundError
from corral.reconcile.plan import (
    Apply,
    Create,
    Delete,
    EmitEvent,
    LookAgainAfter,
    Patch,
    Plan,
    SetStatus,
    Told,
    Update,
)
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.fault_proxy import CutAfterForwarding, FaultProxy, Seen, first_times, on_every, reply
from corral.testing.waiting import eventually

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio

JOB = ApiResource("batch", "v1", "Job", "jobs")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def proxy(api: ApiUnderTest) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(api.access) as proxy:
        yield proxy


@pytest.fixture
async def runtime(proxy: FaultProxy) -> AsyncIterator[Runtime]:
    async with AsyncClient(proxy.access(), policy=RetryPolicy(first_wait=0.01)) as client:
        runtime = runtime_of(client, clock=SystemClock(), randomness=SystemRandomness(), component="test")
        caches = asyncio.create_task(runtime.caches.run())
        yield runtime
        caches.cancel()
        await asyncio.wait([caches])


@pytest.fixture
async def owner(api: ApiUnderTest, runtime: Runtime) -> Object:
    return await runtime.store.create(CONFIG_MAP, named(api, "owner"))


def named(api: ApiUnderTest, name: str, **metadata: object) -> Object:
    return {"metadata": {"name": name, "namespace": api.namespace, "labels": {"part": "test"}, **metadata}}


def child(api: ApiUnderTest, owner: Object, name: str) -> Object:
    return named(api, name, ownerReferences=[owner_reference(CONFIG_MAP, owner)])


def is_write(seen: Seen) -> bool:
    return seen.is_write


def scope(api: ApiUnderTest) -> Scope:
    return Scope(api.namespace, "part=test")


async def test_f07_a_create_whose_answer_was_lost_has_succeeded(
    api: ApiUnderTest, proxy: FaultProxy, runtime: Runtime, owner: Object
) -> None:
    proxy.fault_for = first_times(1, is_write, CutAfterForwarding())
    plan = Plan.of(Create(SECRET, child(api, owner, "a")))
    assert await PlanExecutor(runtime).run(key_of(owner), plan) == DONE
    assert len(await runtime.store.list(SECRET, scope(api))) == 1


async def test_a_name_taken_by_a_stranger_is_a_conflict(api: ApiUnderTest, runtime: Runtime, owner: Object) -> None:
    await runtime.store.create(SECRET, named(api, "a"))
    with pytest.raises(ConflictError, match="belongs to somebody else"):
        await PlanExecutor(runtime).run(key_of(owner), Plan.of(Create(SECRET, child(api, owner, "a"))))


async def test_a_create_needs_a_fixed_name(api: ApiUnderTest, runtime: Runtime) -> None:
    nameless = {"metadata": {"generateName": "a-", "namespace": api.namespace}}
    with pytest.raises(BugError):
        await PlanExecutor(runtime).run(api.key("x"), Plan.of(Create(SECRET, nameless)))


async def test_every_action_does_what_it_says(api: ApiUnderTest, runtime: Runtime, owner: Object) -> None:
    executor = PlanExecutor(runtime)
    applied = {"apiVersion": "v1", "kind": "ConfigMap", **named(api, "b"), "data": {"x": "1"}}
    plan = (
        Plan.of(Create(SECRET, child(api, owner, "a")), Apply(CONFIG_MAP, applied, manager="planner"))
        .then(Patch(CONFIG_MAP, api.key("b"), {"data": {"y": "2"}}), Update(CONFIG_MAP, {**owner, "data": {"z": "3"}}))
        .then(LookAgainAfter(7))
    )
    assert await executor.run(key_of(owner), plan) == RetryAfter(7)
    assert (await runtime.store.get(CONFIG_MAP, api.key("b")))["data"] == {"x": "1", "y": "2"}
    assert (await runtime.store.get(CONFIG_MAP, key_of(owner)))["data"] == {"z": "3"}
    made = await runtime.store.get(SECRET, api.key("a"))
    await executor.run(key_of(owner), Plan.of(Delete(SECRET, api.key("a"), uid_of(made))))
    with pytest.raises(NotFoundError):
        await runtime.store.get(SECRET, api.key("a"))


async def test_f16_a_delete_never_hits_a_successor(api: ApiUnderTest, runtime: Runtime) -> None:
    first = await runtime.store.create(SECRET, named(api, "a"))
    await runtime.store.delete(SECRET, api.key("a"))
    executor = PlanExecutor(runtime)
    late = Plan.of(Delete(SECRET, api.key("a"), uid_of(first)))
    await executor.run(api.key("x"), late)
    second = await runtime.store.create(SECRET, named(api, "a"))
    await executor.run(api.key("x"), late)
    assert uid_of(await runtime.store.get(SECRET, api.key("a"))) == uid_of(second)


async def test_a_failed_stage_ends_and_later_ones_do_not_start(
    api: ApiUnderTest, runtime: Runtime, owner: Object
) -> None:
    plan = Plan.of(
        Create(SECRET, child(api, owner, "Not_A_Name")), *(Create(SECRET, child(api, owner, f"a{n}")) for n in range(5))
    ).then(Create(SECRET, child(api, owner, "later")))
    with pytest.raises(InvalidError):
        await PlanExecutor(runtime).run(key_of(owner), plan)
    assert sorted(key_of(item).name for item in await runtime.store.list(SECRET, scope(api))) == [
        f"a{n}" for n in range(5)
    ]


def job(api: ApiUnderTest) -> Object:
    container = {"name": "c", "image": "i"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    # Nobody else writes the status of a job that another controller manages.
    return {**named(api, "job"), "spec": {"suspend": True, "managedBy": "example.com/tests", "template": template}}


STATUS = {"active": 0, "terminating": 0, "ready": 0, "uncountedTerminatedPods": {}}


async def test_f06_a_status_is_written_despite_conflicts_as_long_as_nothing_else_was_asked_for(
    api: ApiUnderTest, proxy: FaultProxy, runtime: Runtime
) -> None:
    made = await runtime.store.create(JOB, job(api))
    labelled = StorePatch("merge", {"metadata": {"labels": {"touched": "yes"}}})
    await runtime.store.patch(JOB, api.key("job"), labelled)
    proxy.fault_for = on_every(2, is_write, reply(409, "Conflict"))
    plan = Plan.of(SetStatus(JOB, made, {**STATUS, "failed": 3}))
    await PlanExecutor(runtime).run(api.key("job"), plan)
    assert (await runtime.store.get(JOB, api.key("job")))["status"]["failed"] == 3


async def test_f06_a_status_that_somebody_wrote_meanwhile_is_not_overwritten(
    api: ApiUnderTest, runtime: Runtime
) -> None:
    """C8, T3, T4: an operator with an old view takes back neither an end nor a count."""
    made = await runtime.store.create(JOB, job(api))
    newer = StorePatch("merge", {"status": {**STATUS, "failed": 5}})
    await runtime.store.patch(JOB, api.key("job"), newer, subresource="status")
    with pytest.raises(ConflictError):
        await PlanExecutor(runtime).run(api.key("job"), Plan.of(SetStatus(JOB, made, {**STATUS, "failed": 3})))
    assert (await runtime.store.get(JOB, api.key("job")))["status"]["failed"] == 5


async def test_f06_a_status_for_an_older_wish_is_void(api: ApiUnderTest, runtime: Runtime) -> None:
    made = await runtime.store.create(JOB, job(api))
    await runtime.store.patch(JOB, api.key("job"), StorePatch("merge", {"spec": {"backoffLimit": 9}}))
    with pytest.raises(ConflictError):
        await PlanExecutor(runtime).run(api.key("job"), Plan.of(SetStatus(JOB, made, {**STATUS, "failed": 3})))
    assert "failed" not in ((await runtime.store.get(JOB, api.key("job"))).get("status") or {})


async def test_f02_a_fence_stops_writes(api: ApiUnderTest, proxy: FaultProxy, runtime: Runtime, owner: Object) -> None:
    def fence() -> None:
        raise RetryError("leadership-lost", "not the leader")

    proxy.seen.clear()
    with pytest.raises(RetryError, match="not the leader"):
        await PlanExecutor(runtime, fence=fence).run(key_of(owner), Plan.of(Create(SECRET, child(api, owner, "a"))))
    assert proxy.seen == []


async def test_f17_f06_a_controller_of_plans_converges_without_extra_objects(
    api: ApiUnderTest, proxy: FaultProxy, runtime: Runtime
) -> None:
    """Each owner wants three secrets; every second write meets a conflict, and some answers are lost."""
    executor = PlanExecutor(runtime)
    owners, secrets = runtime.caches.of(CONFIG_MAP, scope(api)), runtime.caches.of(SECRET, scope(api))
    secrets.add_indexes({"owner": lambda held: [ref["uid"] for ref in held["metadata"].get("ownerReferences", [])]})
    decided = 0

    async def observe(key: ObjectKey) -> tuple[Object, list[Object]] | None:
        found = owners.get(key)
        return None if found is None else (found, secrets.by_index("owner", uid_of(found)))

    def decide(world: tuple[Object, list[Object]], now: float) -> Plan:
        nonlocal decided
        decided += 1
        found, held = world
        have = {key_of(item).name for item in held}
        want = {f"{key_of(found).name}-{n}" for n in range(3)}
        return Plan.of(*(Create(SECRET, child(api, found, name)) for name in sorted(want - have)))

    reconcile = planned(observe, decide, executor, runtime.clock.now)
    watches = [Watch(CONFIG_MAP, own_key, scope(api)), Watch(SECRET, controller_keys("ConfigMap"), scope(api))]
    controller = Controller("test", reconcile, watches, runtime, backoff=Backoff(0.02, 0.2))
    conflicts = on_every(2, is_write, reply(409, "Conflict"))
    losses = on_every(5, is_write, CutAfterForwarding())
    made = await asyncio.gather(*(runtime.store.create(CONFIG_MAP, named(api, f"o{n}")) for n in range(10)))
    proxy.fault_for = lambda seen: conflicts(seen) or losses(seen)
    running = asyncio.create_task(controller.run())
    await eventually(lambda: len(secrets) == 30, within=20)
    await eventually(lambda: controller.queue.is_idle)
    running.cancel()
    await asyncio.wait([running])
    found = await runtime.store.list(SECRET, scope(api))
    assert len(found) == 30
    for one in made:
        assert sum(is_controlled_by(item, uid_of(one)) for item in found) == 3


async def test_expectations_hold_a_key_back_until_its_writes_are_visible(
    api: ApiUnderTest, runtime: Runtime, owner: Object
) -> None:
    executor = PlanExecutor(runtime)
    secrets = runtime.caches.of(SECRET, scope(api))
    await secrets.wait_synced()
    key = key_of(owner)
    assert executor.expectations.are_met(key)
    await executor.run(key, Plan.of(Create(SECRET, child(api, owner, "a"))))
    await eventually(lambda: executor.expectations.are_met(key))
    held = secrets.get(api.key("a"))
    assert held is not None
    await executor.run(key, Plan.of(Delete(SECRET, api.key("a"), uid_of(held))))
    await eventually(lambda: executor.expectations.are_met(key))
    assert secrets.get(api.key("a")) is None


async def test_events_are_told_once_and_counted(api: ApiUnderTest, runtime: Runtime, owner: Object) -> None:
    executor = PlanExecutor(runtime)
    said = EmitEvent(CONFIG_MAP, owner, "Waiting", "waiting for 3 GPUs")
    other = EmitEvent(CONFIG_MAP, owner, "Failed", "out of memory", "Warning")
    await executor.run(key_of(owner), Plan.of(said, said, other, said))
    await runtime.events.flush()
    events = {event["reason"]: event for event in await runtime.store.list(EVENT, Scope(api.namespace))}
    assert {reason: event["count"] for reason, event in events.items()} == {"Waiting": 3, "Failed": 1}
    assert events["Failed"]["type"] == "Warning"
    assert events["Failed"]["involvedObject"]["uid"] == uid_of(owner)
    assert events["Failed"]["source"] == {"component": "test"}
    await runtime.store.delete_collection(EVENT, Scope(api.namespace))
    await executor.run(key_of(owner), Plan.of(said))
    await runtime.events.flush()
    assert [event["count"] for event in await runtime.store.list(EVENT, Scope(api.namespace))] == [1]


async def test_events_never_fail_a_plan_and_never_flood(
    api: ApiUnderTest, proxy: FaultProxy, runtime: Runtime, owner: Object
) -> None:
    executor = PlanExecutor(runtime)
    proxy.fault_for = lambda seen: reply(403, "Forbidden") if "/events" in seen.path else None
    events = [EmitEvent(CONFIG_MAP, owner, "Noise", f"number {n}") for n in range(100)]
    assert await executor.run(key_of(owner), Plan.of(*events)) == DONE
    await runtime.events.flush()
    assert (runtime.events.counts.sent, runtime.events.counts.dropped) == (0, 100)
    assert sum("/events" in seen.path for seen in proxy.seen) == 25


async def test_events_go_slowly_while_a_plan_is_carried_out(api: ApiUnderTest, runtime: Runtime, owner: Object) -> None:
    """Creates come first: what is told about them follows one by one, and at full speed when they are done."""
    others = [{**owner, "metadata": {**owner["metadata"], "uid": f"uid-{n}"}} for n in range(12)]
    telling = asyncio.create_task(runtime.events.run())
    with runtime.events.stepping_back():
        for one in others:
            runtime.events.emit(EmitEvent(CONFIG_MAP, one, "Told", "something"))
        await eventually(lambda: runtime.events.counts.sent > 0)
        assert runtime.events.counts.sent < len(others)
    await eventually(lambda: runtime.events.counts.sent == len(others))
    telling.cancel()
    await asyncio.wait([telling])


async def test_a_plan_of_many_writes_does_not_hold_up_one_of_few(
    api: ApiUnderTest, runtime: Runtime, owner: Object
) -> None:
    executor = PlanExecutor(runtime, parallel=2)
    creates = [Create(SECRET, child(api, owner, f"large-{n}")) for n in range(40)]
    large = asyncio.create_task(executor.run(key_of(owner), Plan.of(*creates)))
    await executor.run(api.key("small"), Plan.of(Create(SECRET, child(api, owner, "small"))))
    assert not large.done()
    await large
    assert len(await runtime.store.list(SECRET, scope(api))) == 41


async def test_cluster_wide_objects_are_told_about_in_the_default_namespace(
    api: ApiUnderTest, runtime: Runtime
) -> None:
    space = await runtime.store.get(NAMESPACE, ObjectKey("", api.namespace))
    runtime.events.emit(EmitEvent(NAMESPACE, space, "Seen", f"{api.namespace} was seen"))
    await runtime.events.flush()
    assert runtime.events.counts.sent == 1


async def test_name_of_somebody_else_is_told_and_nothing_is_overwritten(
    api: ApiUnderTest, runtime: Runtime, owner: Object
) -> None:
    await runtime.store.create(CONFIG_MAP, named(api, "held") | {"data": {"whose": "theirs"}})
    wanted = child(api, owner, "held") | {"data": {"whose": "ours"}}
    told = Told(taken=EmitEvent(CONFIG_MAP, owner, "ErrResourceExists", "held by another", "Warning"))
    with pytest.raises(ConflictError):
        await PlanExecutor(runtime).run(key_of(owner), Plan.of(Create(CONFIG_MAP, wanted, told=told)))
    found = await runtime.store.get(CONFIG_MAP, ObjectKey(api.namespace, "held"))
    assert found["data"] == {"whose": "theirs"}
    await runtime.events.flush()
    assert [event["reason"] for event in await runtime.store.list(EVENT, Scope(api.namespace))] == ["ErrResourceExists"]


async def test_object_of_anybody_does_where_that_is_enough(api: ApiUnderTest, runtime: Runtime, owner: Object) -> None:
    theirs = await runtime.store.create(CONFIG_MAP, named(api, "account"))
    wanted = child(api, owner, "account")
    await PlanExecutor(runtime).run(key_of(owner), Plan.of(Create(CONFIG_MAP, wanted, or_found=True)))
    assert uid_of(await runtime.store.get(CONFIG_MAP, key_of(wanted))) == uid_of(theirs)
