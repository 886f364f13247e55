"""What the API server can do: the same objects, created by the same client with the same parallelism, and nothing else."""

import asyncio
import os
from time import perf_counter
from typing import Any, NamedTuple

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.control import heap
from corral.control.training.orders import Orders
from corral.kinds.references import ApiResource
from corral.kinds.well_known import POD, SERVICE
from corral.ports.object_store import Scope, WriteOptions
from tools.bench.training import manifests


class Raw(NamedTuple):
    """How long some creates took, and the processor time of the client."""

    seconds: float
    cpu: float


def submitted(access: Access, jobs: list[dict[str, Any]]) -> None:
    """Creates jobs, sixteen at a time."""
    asyncio.run(_created(access, [(manifests.RESOURCE, job) for job in jobs]))


def repeated(access: Access, source: str, target: str) -> Raw:
    """Creates what pods and services one namespace has once more in another, on the clock."""
    heap.tune()
    wanted = asyncio.run(_copies(access, source, target))
    before, began = os.times(), perf_counter()
    asyncio.run(_created(access, wanted))
    after = os.times()
    return Raw(perf_counter() - began, after.user - before.user + after.system - before.system)


async def _copies(access: Access, source: str, target: str) -> list[tuple[ApiResource, dict[str, Any]]]:
    found: list[tuple[ApiResource, dict[str, Any]]] = []
    async with AsyncClient(access) as client:
        for resource in (POD, SERVICE):
            listed = await client.list(resource, Scope(source))
            found += [(resource, _as_sent(held, target) | {"kind": resource.kind}) for held in listed]
    return found


def _as_sent(held: dict[str, Any], namespace: str) -> dict[str, Any]:
    """Returns an object without what the server added to it."""
    kept = ("name", "labels", "annotations", "ownerReferences")
    metadata = {name: value for name, value in held["metadata"].items() if name in kept}
    spec = {name: value for name, value in held["spec"].items() if name not in ("clusterIPs", "ipFamilies")}
    return {"apiVersion": "v1", "metadata": {**metadata, "namespace": namespace}, "spec": spec}


async def _created(access: Access, wanted: list[tuple[ApiResource, dict[str, Any]]]) -> None:
    gate = asyncio.Semaphore(Orders().parallel)
    async with AsyncClient(access, manager="corral-operator") as client:

        async def create(resource: ApiResource, obj: dict[str, Any]) -> None:
            async with gate:
                await client.create(resource, obj, WriteOptions(deterministic=True))

        async with asyncio.TaskGroup() as group:
            for resource, obj in wanted:
                group.create_task(create(resource, obj))
