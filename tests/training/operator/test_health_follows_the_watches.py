"""Health and readiness fail when the server was not heard for too long, name the part, and recover by themselves."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.definitions import definitions
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.fault_proxy import Fault, FaultProxy, Seen, no_fault, reply
from corral.testing.kubeconfig_files import written_kubeconfig
from corral.testing.waiting import eventually
from tests.training.operator.conftest import Start
from tests.training.operator_process import OperatorProcess
from tests.training.stage import Stage

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def answered(operator: OperatorProcess, path: str, status: int, words: str = "") -> str:
    async with asyncio.timeout(60):
        while True:
            with suppress(OSError, HTTPException):
                seen, body = await asyncio.to_thread(operator.answer, path)
                if seen == status and words in body:
                    return body
            await asyncio.sleep(0.05)


async def test_a_server_that_is_not_heard_makes_it_unwell_until_it_is(
    api: EmbeddedApi, start: Start, tmp_path: Path
) -> None:
    async with FaultProxy(api.access) as proxy:
        way = written_kubeconfig(proxy.access(token="any"), tmp_path / "through-the-proxy")
        operator = await asyncio.to_thread(start, "--stale-after", "2", at=way)
        assert (await answered(operator, "/healthz", 200)).startswith("ok\n")
        await proxy.refuse()
        await answered(operator, "/readyz", 503, "[-] cache of pods: nothing heard for")
        await answered(operator, "/healthz", 503, "[-] cache of tfjobs.kubeflow.org")
        await proxy.accept()
        await answered(operator, "/readyz", 200)
        await answered(operator, "/healthz", 200)
        await asyncio.to_thread(operator.stop)


async def test_one_watch_that_is_refused_is_named(api: EmbeddedApi, start: Start, tmp_path: Path) -> None:
    def refuse_pods(seen: Seen) -> object:
        return reply(403, "Forbidden", message="not you") if "/pods?" in seen.path else None

    async with FaultProxy(api.access) as proxy:
        way = written_kubeconfig(proxy.access(token="any"), tmp_path / "through-the-proxy")
        operator = await asyncio.to_thread(start, "--stale-after", "2", at=way)
        proxy.fault_for = refuse_pods  # type: ignore[assignment]
        await proxy.cut()
        body = await answered(operator, "/readyz", 503, "[-] cache of pods")
        bad = [line for line in body.splitlines() if line.startswith("[-]")]
        assert len(bad) == 1
        assert bad[0].startswith("[-] cache of pods: nothing heard for")
        assert "not you" in bad[0]
        proxy.fault_for = no_fault
        await answered(operator, "/readyz", 200)
        await asyncio.to_thread(operator.stop)


async def test_it_is_not_ready_before_it_has_seen_everything(
    api: EmbeddedApi, kubeconfig: Path, tmp_path: Path
) -> None:
    async with FaultProxy(api.access) as proxy:
        proxy.fault_for = lambda seen: reply(503, "ServiceUnavailable") if "/services?" in seen.path else None
        way = written_kubeconfig(proxy.access(token="any"), tmp_path / "through-the-proxy")
        operator = OperatorProcess(way, tmp_path / "operator.log")
        starting = asyncio.create_task(asyncio.to_thread(operator.start))
        await eventually(lambda: any("/services?" in seen.path for seen in proxy.seen), within=30.0)
        await answered(
            operator, "/readyz", 503, "[-] cache of services (training.kubeflow.org/job-name): no complete list yet"
        )
        proxy.fault_for = no_fault
        await starting
        await asyncio.to_thread(operator.stop)


async def test_no_part_is_named_twice(start: Start) -> None:
    operator = await asyncio.to_thread(start)
    body = await answered(operator, "/readyz", 200)
    parts = [line.partition(": ")[0] for line in body.splitlines()[1:]]
    assert sorted(parts) == sorted(set(parts))
    assert sum("cache of services (" in part for part in parts) == 2


async def test_crons_that_may_not_be_read_keep_nobody_from_looking_after_jobs(
    api: EmbeddedApi, stage: Stage, tmp_path: Path
) -> None:
    """An operator that is newer than its role goes on, and says what it lacks."""

    def refuse_crons(seen: Seen) -> Fault:
        return reply(403, "Forbidden", message="not you") if "/crons?" in seen.path else None

    async with FaultProxy(api.access) as proxy:
        proxy.fault_for = refuse_crons
        way = written_kubeconfig(proxy.access(token="any"), tmp_path / "through-the-proxy")
        operator = OperatorProcess(way, tmp_path / "operator.log", ["--stale-after", "2"])
        await asyncio.to_thread(operator.start)
        try:
            await answered(operator, "/healthz", 200, "crons are not looked after: not you")
            job = await asyncio.to_thread(stage.submit, "JAXJob", "alone", {"Worker": 1})
            await asyncio.to_thread(job.wait_pods, "worker-0")
            await answered(operator, "/readyz", 200)
        finally:
            await asyncio.to_thread(operator.stop)


@pytest.fixture
def begun(kubeconfig: Path, tmp_path: Path) -> Iterator[Callable[..., OperatorProcess]]:
    """Starts operators without waiting until they are ready."""
    with ExitStack() as running:

        def begin(*options: str, at: Path = kubeconfig) -> OperatorProcess:
            operator = OperatorProcess(at, tmp_path / "operator.log", options)
            running.callback(operator.stop)
            operator.begin()
            return operator

        yield begin


async def test_one_that_waits_for_the_lease_is_not_ready_without_the_server(
    api: EmbeddedApi, begun: Callable[..., OperatorProcess], tmp_path: Path
) -> None:
    async with FaultProxy(api.access) as proxy:
        await proxy.refuse()
        way = written_kubeconfig(proxy.access(token="any"), tmp_path / "through-the-proxy")
        operator = begun("--leader-elect", at=way)
        await answered(operator, "/readyz", 503, "[-] lease kube-system/corral-operator: waiting: ")
        await answered(operator, "/healthz", 200)
        await proxy.accept()
        await answered(operator, "/readyz", 200, "lease kube-system/corral-operator: leading")
        await asyncio.to_thread(operator.stop)


async def test_a_namespace_that_does_not_exist_is_named(begun: Callable[..., OperatorProcess]) -> None:
    operator = begun("--leader-elect", "--namespace", "nope-ns")
    await answered(operator, "/readyz", 503, "the namespace nope-ns of the lease does not exist")
    (line,) = [line for line in operator.log.read_text().splitlines() if "lease not reached" in line]
    assert " warning " in line
    assert "kubectl create namespace nope-ns" in line


async def test_without_any_training_kind_it_is_not_ready_and_says_what_to_do(
    api: EmbeddedApi, begun: Callable[..., OperatorProcess]
) -> None:
    with SyncClient(api.access) as client:
        client.delete_collection(CUSTOM_RESOURCE_DEFINITION)
        operator = begun()
        await answered(operator, "/readyz", 503, "no training kind is installed: run `corral install`")
        await answered(operator, "/healthz", 200)
        lines = operator.log.read_text().splitlines()
        told = sum("warning control.cache: kind not installed; run `corral install`" in line for line in lines)
        assert told == len(TRAINING_KINDS) + 1  # and crons
        assert not any("404 page not found" in line for line in lines)
        client.create(CUSTOM_RESOURCE_DEFINITION, definitions()[0])
        await answered(operator, "/readyz", 200)
