"""When nothing happens nothing is written, and a restart over settled jobs writes nothing either."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from corral.kinds.well_known import EVENT, POD, SERVICE
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.fault_proxy import FaultProxy
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.training.manifests import DECIDING_POD, INDEXED_KINDS
from tests.training.operator.conftest import Start
from tests.training.stage import Stage

pytestmark = pytest.mark.anyio

QUIET = 2.0


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_settled_jobs_cause_no_write_also_after_a_restart(
    api: EmbeddedApi, start: Start, stage: Stage, tmp_path: Path
) -> None:
    async with FaultProxy(api.access) as proxy:
        way = written_kubeconfig(proxy.access(token="any"), tmp_path / "through-the-proxy")
        first = await asyncio.to_thread(start, at=way)
        await asyncio.to_thread(play, stage)
        await nothing_new(lambda: writes(proxy))
        await asyncio.to_thread(first.stop)
        proxy.seen.clear()
        second = await asyncio.to_thread(start, at=way)
        await nothing_new(lambda: writes(proxy))
        assert writes(proxy) == 0
        await asyncio.to_thread(second.stop)


def play(stage: Stage) -> None:
    """One running, one finished and one suspended job of each kind."""
    for kind in INDEXED_KINDS:
        running, ended = stage.submit(kind, f"{kind.lower()}-a"), stage.submit(kind, f"{kind.lower()}-b")
        stage.submit(kind, f"{kind.lower()}-c", run_policy={"suspend": True})
        for job, phase in ((running, "Running"), (ended, "Succeeded")):
            stage.wait(job.pods, lambda seen: len(seen) == 2)
            for pod in job.pods():
                job.set_phase(pod, phase)
        running.wait_state("Running=True")
        ended.wait_state("Succeeded=True")
        assert DECIDING_POD[kind] in running.pods()
    for resource in (POD, SERVICE, EVENT):
        assert stage.names(resource)


def writes(proxy: FaultProxy) -> int:
    return sum(seen.is_write for seen in proxy.seen)


async def nothing_new(count: Callable[[], int]) -> None:
    """Returns when a number has stood still for a while."""
    async with asyncio.timeout(60):
        before = -1
        while count() != before:
            before = count()
            await asyncio.sleep(QUIET)
