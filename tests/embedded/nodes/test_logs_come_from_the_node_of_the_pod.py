"""Both API servers pass on what the node of a pod says about its containers.

The same hollow node joins either server, so each expectation here is one about a real kube-apiserver first.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.errors import CorralError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE, POD
from corral.ports.log_source import LogOptions
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.hollow_node import HollowNode
from corral.testing.hollow_node.log_book import Container
from corral.testing.waiting import eventually

pytestmark = pytest.mark.anyio
pytest_plugins = ["corral.testing.api_servers"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def client(api: ApiUnderTest) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(api.access) as client:
        yield client


@pytest.fixture
async def node(api: ApiUnderTest) -> AsyncIterator[HollowNode]:
    async with HollowNode(api.access, name=f"node-of-{api.namespace}") as node:
        yield node


async def _pod(client: AsyncClient, api: ApiUnderTest, node: str, *containers: str) -> Container:
    spec: Object = {"automountServiceAccountToken": False, "schedulerName": "nobody"}
    spec["containers"] = [{"name": name, "image": "example.com/app:1"} for name in containers or ("main",)]
    if node:
        spec["nodeName"] = node
    await client.create(POD, {"metadata": {"name": "talker", "namespace": api.namespace}, "spec": spec})
    return Container(api.namespace, "talker", (containers or ("main",))[0])


async def _log(client: AsyncClient, api: ApiUnderTest, **asked: Any) -> str:
    return b"".join([piece async for piece in client.logs(api.key("talker"), LogOptions(**asked))]).decode()


async def _refusal(client: AsyncClient, api: ApiUnderTest, query: str = "", pod: str = "talker") -> str:
    with pytest.raises(CorralError) as caught:
        await client.raw("GET", f"/api/v1/namespaces/{api.namespace}/pods/{pod}/log{query}")
    return caught.value.message


async def test_the_whole_log_and_parts_of_it(api: ApiUnderTest, client: AsyncClient, node: HollowNode) -> None:
    container = await _pod(client, api, node.name)
    node.book.say(container, "one", "two", "three")
    path = f"/api/v1/namespaces/{api.namespace}/pods/talker/log"
    assert await _log(client, api) == "one\ntwo\nthree\n"
    assert await client.raw("GET", f"{path}?container=main&tailLines=1") == b"three\n"
    assert await client.raw("GET", f"{path}?tailLines=0") == b""
    assert await client.raw("GET", f"{path}?limitBytes=6") == b"one\ntw"
    assert await client.raw("GET", f"{path}?sinceSeconds=600&pretty=true") == b"one\ntwo\nthree\n"
    assert await client.raw("GET", f"{path}?sinceTime=2999-01-01T00:00:00%2B02:00") == b""
    stamped = await client.raw("GET", f"{path}?timestamps=true&tailLines=1")
    assert stamped.endswith(b"Z three\n")


async def test_a_long_log_arrives_whole(api: ApiUnderTest, client: AsyncClient, node: HollowNode) -> None:
    container = await _pod(client, api, node.name)
    lines = [f"{number} {'x' * 1000}" for number in range(3000)]
    node.book.say(container, *lines)
    assert await _log(client, api) == "\n".join(lines) + "\n"


async def test_a_followed_log_goes_on_until_the_container_ends(
    api: ApiUnderTest, client: AsyncClient, node: HollowNode
) -> None:
    container = await _pod(client, api, node.name)
    node.book.say(container, "one")
    stream = client.logs(api.key("talker"), LogOptions(follow=True))
    assert await anext(stream) == b"one\n"
    node.book.say(container, "two")
    assert await anext(stream) == b"two\n"
    node.book.end(container)
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


async def test_a_reader_that_goes_ends_the_reading_at_the_node(
    api: ApiUnderTest, client: AsyncClient, node: HollowNode
) -> None:
    container = await _pod(client, api, node.name)
    node.book.say(container, "one")
    stream = client.logs(api.key("talker"), LogOptions(follow=True))
    await anext(stream)
    assert node.endpoint.open_streams == 1
    await stream.aclose()
    await eventually(lambda: node.endpoint.open_streams == 0)


async def test_a_pod_without_a_node_has_said_nothing(api: ApiUnderTest, client: AsyncClient) -> None:
    await _pod(client, api, "")
    assert await _log(client, api) == ""


async def test_one_of_several_containers_must_be_named(
    api: ApiUnderTest, client: AsyncClient, node: HollowNode
) -> None:
    await _pod(client, api, node.name, "main", "side")
    node.book.say(Container(api.namespace, "talker", "side"), "from the side")
    wanted = "a container name must be specified for pod talker, choose one of: [main side]"
    assert wanted in await _refusal(client, api)
    assert "container nope is not valid for pod talker" in await _refusal(client, api, "?container=nope")
    assert await _log(client, api, container="side") == "from the side\n"


async def test_the_node_s_refusal_is_passed_on(api: ApiUnderTest, client: AsyncClient, node: HollowNode) -> None:
    container = await _pod(client, api, node.name)
    assert 'container "main" in pod "talker" is waiting to start' in await _refusal(client, api)
    node.book.say(container, "one")
    wanted = 'previous terminated container "main" in pod "talker" not found'
    assert wanted in await _refusal(client, api, "?previous=true")


async def test_options_that_make_no_sense_are_refused(api: ApiUnderTest, client: AsyncClient) -> None:
    await _pod(client, api, "")
    for query, wanted in {
        "tailLines=-1": "tailLines: Invalid value: -1: must be greater than or equal to 0",
        "tailLines=x": 'strconv.ParseInt: parsing "x": invalid syntax',
        "limitBytes=0": "limitBytes: Invalid value: 0: must be greater than 0",
        "sinceSeconds=0": "sinceSeconds: Invalid value: 0: must be greater than 0",
        "sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z": "at most one of `sinceTime` or `sinceSeconds` may be specified",
        "sinceTime=yesterday": 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
        "stream=Stdout": "stream: Forbidden: may not be specified",
    }.items():
        assert wanted in await _refusal(client, api, f"?{query}"), query


async def test_a_node_that_does_not_answer_is_named(api: ApiUnderTest, client: AsyncClient) -> None:
    name = f"dead-{api.namespace}"
    await client.create(NODE, {"metadata": {"name": name}, "status": _at_port(1)})
    try:
        await _pod(client, api, name)
        wanted = (
            f'Get "https://127.0.0.1:1/containerLogs/{api.namespace}/talker/main": '
            "dial tcp 127.0.0.1:1: connect: connection refused"
        )
        assert wanted in await _refusal(client, api)
    finally:
        await client.delete(NODE, ObjectKey("", name))


async def test_a_node_that_is_not_there_is_missed(api: ApiUnderTest, client: AsyncClient) -> None:
    await _pod(client, api, "no-such-node")
    assert 'pods "no-such-node" not found' in await _refusal(client, api)


def _at_port(port: int) -> Object:
    addresses = [{"type": "InternalIP", "address": "127.0.0.1"}]
    return {"addresses": addresses, "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}}
