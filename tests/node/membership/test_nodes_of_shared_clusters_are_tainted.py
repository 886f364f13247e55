"""A machine that joins a cluster takes only pods that tolerate it; whoever takes the taint away means it. On both servers."""

from collections.abc import AsyncIterator

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.system.clock import SystemClock
from corral.engine.node.membership.heartbeat import Door, Membership
from corral.engine.node.membership.node_object import Machine
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE
from corral.ports.object_store import DeleteOptions, Patch
from corral.testing.api_under_test import ApiUnderTest

pytestmark = pytest.mark.anyio
pytest_plugins = ["corral.testing.api_servers"]
TAINT = {"key": "corral.dev/process-node", "value": "true", "effect": "NoSchedule"}
MACHINE = Machine({"cpu": "2", "memory": "1Gi"}, {"operatingSystem": "linux", "architecture": "amd64"}, {})


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def client(api: ApiUnderTest) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(api.access) as client:
        yield client


@pytest.fixture
async def key(api: ApiUnderTest, client: AsyncClient) -> AsyncIterator[ObjectKey]:
    key = ObjectKey("", f"node-of-{api.namespace}")
    yield key
    await client.delete(NODE, key, DeleteOptions(grace_seconds=0))


def membership(client: AsyncClient, key: ObjectKey, *, is_tainted: bool) -> Membership:
    door = Door(10250, {})
    return Membership(
        client, SystemClock(), key.name, MACHINE, door=door, pressures=dict[str, str], is_tainted=is_tainted
    )


def ours(node: Object) -> list[Object]:
    """Returns the taints of the node but those of the cluster's own controllers."""
    taints = (node.get("spec") or {}).get("taints") or []
    return [one for one in taints if not one["key"].startswith("node.kubernetes.io/")]


async def test_the_taint_comes_with_the_node_and_never_again(client: AsyncClient, key: ObjectKey) -> None:
    joining = membership(client, key, is_tainted=True)
    await joining.register()
    assert ours(await client.get(NODE, key)) == [TAINT]
    await joining.register()
    assert ours(await client.get(NODE, key)) == [TAINT]
    await client.patch(NODE, key, Patch("merge", {"spec": {"taints": None}}))
    await joining.register()
    assert ours(await client.get(NODE, key)) == []


async def test_without_it_every_pod_may_come(client: AsyncClient, key: ObjectKey) -> None:
    await membership(client, key, is_tainted=False).register()
    assert ours(await client.get(NODE, key)) == []
