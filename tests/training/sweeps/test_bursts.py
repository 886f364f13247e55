"""A burst of jobs while the operator sees nothing of what it makes: every pod and service is made once (F17, T2)."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import pytest

from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import NAMESPACE, POD, SERVICE
from corral.ports.object_store import AT_ONCE, Scope, Start
from corral.testing.manual_clock import ManualClock
from tests.training.manifests import manifest
from tests.training.stage import job_resource
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.rehearsal import OperatorLife, orders_for
from tests.training.sweeps.troubled_store import Batches, Trouble

pytestmark = pytest.mark.anyio

NAME = "burst"
JOBS, WORKERS = 100, 2


class Blind(Trouble):
    """Shows nothing of pods and services until `sight` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.sight = asyncio.Event()

    async def told(self, resource: ApiResource, scope: Scope, start: Start, batches: Batches) -> Batches:
        """Holds back what it made itself."""
        async with aclosing(batches):
            async for batch in batches:
                if batch and resource in (POD, SERVICE):
                    await self.sight.wait()
                yield batch


async def test_f17_a_burst_of_jobs_makes_no_pod_twice(api: InProcessApi) -> None:
    client, clock, trouble = api.client(), ManualClock(), Blind()
    await client.create(NAMESPACE, {"metadata": {"name": NAME}})
    life = OperatorLife(api, clock, orders_for("JAXJob", NAME), trouble, relist=600.0)
    jobs = job_resource("JAXJob")
    for number in range(JOBS):
        job = manifest("JAXJob", f"job-{number}", {"Worker": WORKERS})
        await client.create(jobs, {**job, "metadata": {**job["metadata"], "namespace": NAME}})
    await _until(api, clock, lambda: trouble.calls.count("create Service") >= JOBS * WORKERS)
    for _ in range(8):
        await clock.advance(0.5)
        await api.calm()
    trouble.sight.set()
    for _ in range(8):
        await clock.advance(0.5)
        await api.calm()
    await life.end()
    assert trouble.calls.count("create Pod") == trouble.calls.count("create Service") == JOBS * WORKERS
    assert len(await client.list(POD, Scope(NAME))) == JOBS * WORKERS
    for number in range(JOBS):
        await client.delete(jobs, ObjectKey(NAME, f"job-{number}"), AT_ONCE)


async def _until(api: InProcessApi, clock: ManualClock, holds: Callable[[], bool]) -> None:
    for _ in range(200):
        await api.calm()
        if holds():
            return
        await clock.advance(0.1)
    raise AssertionError("not in time")
