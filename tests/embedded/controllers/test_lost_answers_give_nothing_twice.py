"""Binds whose answers are lost, refused or late: every pod ends on one node, and no node holds more than it has."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import EVENT, NAMESPACE, NODE, POD
from corral.ports.object_store import AT_ONCE
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.fault_proxy import CutAfterForwarding, Fault, FaultProxy, Seen, reply
from tests.embedded.controllers.controllers_process import ControllersProcess

pytestmark = pytest.mark.anyio

GPU = "nvidia.com/gpu"
SIZES = {"a": 3, "b": 2, "c": 1}
PODS = 18


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def node(name: str, gpus: int) -> Object:
    amounts = {"pods": "110", GPU: str(gpus)}
    return {
        "metadata": {"name": name},
        "status": {"allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]},
    }


def pod(number: int) -> Object:
    container = {"name": "main", "image": "any", "resources": {"limits": {GPU: "1"}}}
    return {"metadata": {"name": f"pod-{number}", "namespace": "ns"}, "spec": {"containers": [container]}}


def faults(chance: random.Random) -> Fault:
    return chance.choice(
        [None, CutAfterForwarding(), reply(503, "ServiceUnavailable"), reply(409, "Conflict"), reply(403, "Forbidden")]
    )


@pytest.mark.parametrize("seed", [1])
async def test_whatever_becomes_of_the_answers_nothing_is_given_twice(seed: int, tmp_path: Path) -> None:
    chance, binds = random.Random(seed), 0

    def fault(seen: Seen) -> Fault:
        nonlocal binds
        if "/binding?" not in seen.path:
            return None
        binds += 1
        return faults(chance)

    with EmbeddedApi() as api:
        async with FaultProxy(api.access) as proxy, AsyncClient(api.access) as client:
            proxy.fault_for = fault
            await client.create(NAMESPACE, {"metadata": {"name": "ns"}})
            for name, gpus in SIZES.items():
                await client.create(NODE, node(name, gpus))
            for number in range(PODS):
                await client.create(POD, pod(number))
            with ControllersProcess(proxy.access(), tmp_path, "--controllers", "scheduler"):
                await _all_done(client)
            assert binds > PODS
            events = [one for one in await client.list(EVENT) if one["reason"] == "Scheduled"]
            told = Counter(one["involvedObject"]["name"] for one in events)
            assert set(told.values()) <= {1}


async def _all_done(client: AsyncClient) -> None:
    """Ends pods as soon as they are bound, and looks at the truth each time."""
    async with asyncio.timeout(90):
        while pods := await client.list(POD):
            held = Counter(one["spec"]["nodeName"] for one in pods if one["spec"].get("nodeName"))
            assert all(held[name] <= gpus for name, gpus in SIZES.items()), held
            for one in pods:
                if one["spec"].get("nodeName"):
                    await client.delete(POD, ObjectKey("ns", one["metadata"]["name"]), AT_ONCE)
            await asyncio.sleep(0.02)
