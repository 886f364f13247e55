"""What cannot be known is not deleted: refusals and silence about an owner leave its dependents alone."""

import asyncio
from pathlib import Path

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CONFIG_MAP, NAMESPACE
from corral.ports.refusals import NotFoundError
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.fault_proxy import Fault, FaultProxy, Seen, reply
from corral.testing.waiting import eventually
from tests.embedded.controllers.controllers_process import ControllersProcess

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


FAULTS: dict[str, Fault] = {
    "forbidden": reply(403, "Forbidden"),
    "unauthorized": reply(401, "Unauthorized"),
    "overloaded": reply(503, "ServiceUnavailable"),
    "kind not found": reply(404, "NotFound", message="the server could not find the requested resource"),
}


def child_of(name: str) -> Object:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": "00000000-0000-0000-0000-000000000000"}
    return {"metadata": {"name": "child", "namespace": "ns", "ownerReferences": [owner]}}


@pytest.mark.parametrize("case", FAULTS)
async def test_a_dependent_stays_until_the_server_says_that_its_owner_is_absent(case: str, tmp_path: Path) -> None:
    asked = 0
    is_broken = True

    def fault(seen: Seen) -> Fault:
        nonlocal asked
        if seen.method != "GET" or not seen.path.endswith("/configmaps/absent"):
            return None
        asked += 1
        return FAULTS[case] if is_broken else None

    with EmbeddedApi() as api:
        async with FaultProxy(api.access) as proxy, AsyncClient(api.access) as client:
            proxy.fault_for = fault
            with ControllersProcess(proxy.access(), tmp_path):
                await client.create(NAMESPACE, {"metadata": {"name": "ns"}})
                await client.create(CONFIG_MAP, child_of("absent"))
                await eventually(lambda: asked >= 3)
                child = await client.get(CONFIG_MAP, ObjectKey("ns", "child"))
                assert "deletionTimestamp" not in child["metadata"]
                is_broken = False
                await _gone(client)


async def _gone(client: AsyncClient) -> None:
    async with asyncio.timeout(20):
        while True:
            try:
                await client.get(CONFIG_MAP, ObjectKey("ns", "child"))
            except NotFoundError:
                return
            await asyncio.sleep(0.02)
