"""The hollow node does to pods what a kubelet does, as far as those who watch pods can tell; on both servers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.kinds.objects import Object
from corral.kinds.well_known import POD
from corral.ports.log_source import LogOptions
from corral.ports.object_store import Scope, Start
from corral.ports.refusals import NotFoundError
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.hollow_node import HollowNode, Part, Script
from corral.testing.hollow_node.script import ANNOTATION

pytestmark = pytest.mark.anyio
pytest_plugins = ["corral.testing.api_servers"]

SCRIPT = Script(
    parts=(
        ("stays-*", Part(seconds=None)),
        ("fails-*", Part(seconds=0.0, exit_codes=(3,), reason="OOMKilled")),
        ("stumbles-*", Part(seconds=0.0, exit_codes=(1, 0))),
        ("unprepared-*", Part(init_exit_code=2)),
    ),
    otherwise=Part(seconds=0.0),
)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def client(api: ApiUnderTest) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(api.access) as client:
        yield client


@pytest.fixture(autouse=True)
async def node(api: ApiUnderTest) -> AsyncIterator[HollowNode]:
    async with HollowNode(api.access, SCRIPT, name=f"node-of-{api.namespace}", namespace=api.namespace) as node:
        yield node


async def _create(
    client: AsyncClient, api: ApiUnderTest, name: str, policy: str = "Never", *, inits: int = 0, part: str = ""
) -> None:
    container = {"image": "example.com/app:1"}
    spec: Object = {"automountServiceAccountToken": False, "restartPolicy": policy, "schedulerName": "nobody"}
    spec["containers"] = [{"name": "main", **container}]
    spec["initContainers"] = [{"name": f"prepare-{number}", **container} for number in range(inits)]
    metadata = {"name": name, "namespace": api.namespace, "annotations": {ANNOTATION: part} if part else {}}
    await client.create(POD, {"metadata": metadata, "spec": spec})


async def _until(client: AsyncClient, api: ApiUnderTest, name: str, holds: Callable[[Object], object]) -> Object:
    """Watches the pod from its beginning; returns its first state for which something holds."""
    scope = Scope(api.namespace, fields=f"metadata.name={name}")
    async for batch in client.watch(POD, scope, Start(revision="", timeout_seconds=20), dict[str, Any]):
        for change in batch:
            if change.object is not None and change.verb != "BOOKMARK" and holds(change.object):
                return change.object
    raise AssertionError(f"{name} did not get there")


async def _ended(client: AsyncClient, api: ApiUnderTest, name: str) -> Object:
    pod = await _until(client, api, name, lambda pod: pod["status"]["phase"] in ("Succeeded", "Failed"))
    return dict(pod["status"])


async def test_a_pod_is_bound_runs_and_succeeds(api: ApiUnderTest, client: AsyncClient, node: HollowNode) -> None:
    await _create(client, api, "plain")
    status = await _ended(client, api, "plain")
    assert status["phase"] == "Succeeded"
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (0, "Completed")
    assert {each["type"]: each["status"] for each in status["conditions"]}["PodScheduled"] == "True"
    pod = await client.get(POD, api.key("plain"))
    assert pod["spec"]["nodeName"] == node.name
    log = [piece async for piece in client.logs(api.key("plain"), LogOptions())]
    assert b"".join(log) == b"hello from plain\nmain is done\n"


async def test_a_failure_has_its_code_and_reason(api: ApiUnderTest, client: AsyncClient) -> None:
    await _create(client, api, "fails-so")
    status = await _ended(client, api, "fails-so")
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (status["phase"], ended["exitCode"], ended["reason"]) == ("Failed", 3, "OOMKilled")


async def test_a_container_is_started_again_in_its_place(api: ApiUnderTest, client: AsyncClient) -> None:
    await _create(client, api, "stumbles-once", "OnFailure")
    status = await _ended(client, api, "stumbles-once")
    container = status["containerStatuses"][0]
    assert (status["phase"], container["restartCount"]) == ("Succeeded", 1)
    assert container["lastState"]["terminated"]["exitCode"] == 1
    previous = [piece async for piece in client.logs(api.key("stumbles-once"), LogOptions(previous=True))]
    assert b"".join(previous).startswith(b"hello from stumbles-once")


async def test_init_containers_come_first(api: ApiUnderTest, client: AsyncClient) -> None:
    await _create(client, api, "prepared", inits=2)
    status = await _ended(client, api, "prepared")
    codes = [each["state"]["terminated"]["exitCode"] for each in status["initContainerStatuses"]]
    assert (status["phase"], codes) == ("Succeeded", [0, 0])


async def test_a_pod_whose_init_container_fails_never_runs(api: ApiUnderTest, client: AsyncClient) -> None:
    await _create(client, api, "unprepared-pod", inits=1)
    status = await _ended(client, api, "unprepared-pod")
    assert status["phase"] == "Failed"
    assert status["containerStatuses"][0]["state"] == {"waiting": {"reason": "PodInitializing"}}


async def test_an_annotation_comes_before_the_patterns(api: ApiUnderTest, client: AsyncClient) -> None:
    await _create(client, api, "stays-not", part='{"seconds": 0, "exitCodes": [7]}')
    status = await _ended(client, api, "stays-not")
    assert status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 7


async def test_a_deleted_pod_is_let_go_at_once(api: ApiUnderTest, client: AsyncClient) -> None:
    """Its grace period is thirty seconds; a kubelet confirms earlier when nothing runs any more."""
    await _create(client, api, "stays-here")
    await _until(client, api, "stays-here", lambda pod: pod["status"]["phase"] == "Running")
    await client.delete(POD, api.key("stays-here"))
    async with asyncio.timeout(20):
        while True:
            try:
                await client.get(POD, api.key("stays-here"))
            except NotFoundError:
                return
            await asyncio.sleep(0.02)
