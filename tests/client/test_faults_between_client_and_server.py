"""The fault matrix (reliability.md F04 to F10) for single calls, through a proxy that misbehaves.

F04 refused             one clear error with its own code; works again at once when the server is back
F05 slow                the call waits; nothing is sent twice
F07 done, answer lost   a create with a fixed name is repeated and finds itself; any other write is not repeated
F09 429, Retry-After    honoured, then done exactly once
F10 401, 403            the token file is read again and the call succeeds; 403 names what is not allowed
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.access import Timeouts
from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.retrying import RetryPolicy
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.objects import Object
from corral.kinds.well_known import CONFIG_MAP
from corral.ports.object_store import Patch, Scope, WriteOptions
from corral.ports.refusals import (
    AlreadyExistsError,
    ConflictError,
    ForbiddenError,
    OverloadedError,
    UnauthorizedError,
    UnreachableError,
)
from corral.testing.api_under_test import ApiUnderTest
from corral.testing.fault_proxy import (
    CutAfterForwarding,
    FaultProxy,
    GoSilent,
    Hold,
    Seen,
    first_times,
    no_fault,
    on_every,
    reply,
)
from corral.testing.waiting import eventually

pytest_plugins = ["corral.testing.api_servers"]
pytestmark = pytest.mark.anyio

QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.05)
FIXED = WriteOptions(deterministic=True)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def proxy(api: ApiUnderTest) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(api.access) as proxy:
        yield proxy


@pytest.fixture
async def client(proxy: FaultProxy) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(proxy.access(), policy=QUICK) as client:
        yield client


def config_map(api: ApiUnderTest, name: str = "a") -> Object:
    return {"metadata": {"name": name, "namespace": api.namespace, "labels": {"part": "test"}}, "data": {"n": "0"}}


def is_write(seen: Seen) -> bool:
    return seen.is_write


def writes(proxy: FaultProxy) -> int:
    return sum(seen.is_write for seen in proxy.seen)


async def test_f04_a_server_that_is_down_is_one_clear_error(
    api: ApiUnderTest, proxy: FaultProxy, client: AsyncClient
) -> None:
    await client.create(CONFIG_MAP, config_map(api))
    await proxy.refuse()
    with pytest.raises(UnreachableError) as caught:
        await client.create(CONFIG_MAP, config_map(api, "b"))
    assert (caught.value.code, caught.value.delivered) == ("api-unreachable", False)
    assert "cannot be reached: Conne" in caught.value.message
    assert 'is "behind-the-proxy" the context you mean' in caught.value.hint
    await proxy.accept()
    await client.create(CONFIG_MAP, config_map(api, "b"))


async def test_f04_the_synchronous_client_says_the_same(proxy: FaultProxy) -> None:
    access = proxy.access()
    await proxy.refuse()

    def ask() -> None:
        with SyncClient(access, policy=QUICK) as client:
            client.list(CONFIG_MAP)

    with pytest.raises(UnreachableError) as caught:
        await asyncio.to_thread(ask)
    assert caught.value.message.endswith("cannot be reached: Connection refused")


async def test_f04_a_create_waits_for_a_server_that_comes_back(api: ApiUnderTest, proxy: FaultProxy) -> None:
    await proxy.refuse()
    patient = RetryPolicy(attempts=200, first_wait=0.01, longest_wait=0.02)
    async with AsyncClient(proxy.access(), policy=patient) as client:
        creating = asyncio.create_task(client.create(CONFIG_MAP, config_map(api)))
        await proxy.accept()
        await creating
    assert writes(proxy) == 1


async def test_f05_a_slow_server_gets_each_request_once(
    api: ApiUnderTest, proxy: FaultProxy, client: AsyncClient
) -> None:
    gate = asyncio.Event()
    proxy.fault_for = lambda seen: Hold(gate) if seen.is_write else None
    creating = asyncio.create_task(client.create(CONFIG_MAP, config_map(api)))
    await eventually(lambda: writes(proxy) == 1)
    assert len(await client.list(CONFIG_MAP, Scope(api.namespace, "part=test"))) == 0
    gate.set()
    await creating
    assert writes(proxy) == 1


async def test_f05_a_server_slower_than_the_limit_leaves_the_write_undecided(
    api: ApiUnderTest, proxy: FaultProxy
) -> None:
    proxy.fault_for = lambda seen: GoSilent() if seen.is_write else None
    async with AsyncClient(proxy.access(), policy=QUICK, timeouts=Timeouts(answer=0.2)) as client:
        with pytest.raises(UnreachableError) as caught:
            await client.create(CONFIG_MAP, config_map(api))
    assert (caught.value.code, caught.value.delivered) == ("api-timeout", True)
    assert "look before you repeat it" in caught.value.hint
    assert writes(proxy) == 1


async def test_f07_a_create_with_a_fixed_name_finds_itself(
    api: ApiUnderTest, proxy: FaultProxy, client: AsyncClient
) -> None:
    proxy.fault_for = first_times(1, is_write, CutAfterForwarding())
    with pytest.raises(AlreadyExistsError):
        await client.create(CONFIG_MAP, config_map(api), FIXED)
    assert writes(proxy) == 2
    assert len(await client.list(CONFIG_MAP, Scope(api.namespace, "part=test"))) == 1


async def test_f07_other_writes_are_never_repeated_blindly(
    api: ApiUnderTest, proxy: FaultProxy, client: AsyncClient
) -> None:
    """Invariant C4."""
    await client.create(CONFIG_MAP, config_map(api))
    proxy.seen.clear()
    proxy.fault_for = lambda seen: CutAfterForwarding() if seen.is_write else None
    append = Patch("json", [{"op": "replace", "path": "/data/n", "value": "1"}])
    for write in (
        client.create(CONFIG_MAP, {"metadata": {"generateName": "x-", "namespace": api.namespace}}, FIXED),
        client.patch(CONFIG_MAP, api.key("a"), append),
        client.delete(CONFIG_MAP, api.key("a")),
    ):
        with pytest.raises(UnreachableError) as caught:
            await write
        assert caught.value.delivered
    assert writes(proxy) == 3


async def test_f07_an_apply_is_repeated_until_answered(
    api: ApiUnderTest, proxy: FaultProxy, client: AsyncClient
) -> None:
    proxy.fault_for = first_times(2, is_write, CutAfterForwarding())
    body = {"apiVersion": "v1", "kind": "ConfigMap", **config_map(api)}
    assert (await client.patch(CONFIG_MAP, api.key("a"), Patch("apply", body)))["data"] == {"n": "0"}
    assert writes(proxy) == 3


async def test_f06_a_conflict_is_the_callers_and_compare_and_swap_loses_nothing(
    api: ApiUnderTest, proxy: FaultProxy, client: AsyncClient
) -> None:
    await client.create(CONFIG_MAP, config_map(api))
    proxy.fault_for = on_every(2, is_write, reply(409, "Conflict"))

    async def count_up() -> int:
        tries = 0
        while True:
            tries += 1
            held = await client.get(CONFIG_MAP, api.key("a"))
            held["data"]["n"] = str(int(held["data"]["n"]) + 1)
            try:
                await client.update(CONFIG_MAP, held)
            except ConflictError:
                continue
            return tries

    assert max([await count_up() for _ in range(10)]) <= 5
    assert (await client.get(CONFIG_MAP, api.key("a")))["data"] == {"n": "10"}


@pytest.mark.parametrize("status", [429, 503])
async def test_f09_a_busy_server_is_obeyed(
    api: ApiUnderTest, proxy: FaultProxy, client: AsyncClient, status: int
) -> None:
    """Invariant C5."""
    busy = reply(status, "TooManyRequests" if status == 429 else "ServiceUnavailable", retry_after=1)
    proxy.fault_for = first_times(1, is_write, busy)
    started = asyncio.get_running_loop().time()
    await client.create(CONFIG_MAP, config_map(api), FIXED)
    assert asyncio.get_running_loop().time() - started >= 1.0
    assert writes(proxy) == 2


async def test_f09_a_server_that_stays_busy_says_when_to_come_back(proxy: FaultProxy, client: AsyncClient) -> None:
    proxy.fault_for = lambda _: reply(429, "TooManyRequests", retry_after=120)
    with pytest.raises(OverloadedError) as caught:
        await client.list(CONFIG_MAP)
    assert caught.value.retry_after == 120
    assert len(proxy.seen) == 1


async def test_f10_a_new_token_is_read_when_the_old_one_is_refused(
    api: ApiUnderTest, proxy: FaultProxy, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text("old")
    proxy.fault_for = lambda seen: no_fault(seen) if _shows(seen, "old") else reply(401, "Unauthorized")
    async with AsyncClient(proxy.access(token_file=str(file)), policy=QUICK) as client:
        await client.create(CONFIG_MAP, config_map(api))
        proxy.fault_for = lambda seen: no_fault(seen) if _shows(seen, "new") else reply(401, "Unauthorized")
        with pytest.raises(UnauthorizedError):
            await client.create(CONFIG_MAP, config_map(api, "b"))
        file.write_text("new")
        await asyncio.gather(*(client.create(CONFIG_MAP, config_map(api, f"c{n}")) for n in range(5)))
    assert sum(_shows(seen, "new") for seen in proxy.seen) == 5


def _shows(seen: Seen, token: str) -> bool:
    return seen.headers.get("authorization") == f"Bearer {token}"


async def test_f10_what_is_forbidden_is_named_and_not_tried_again(proxy: FaultProxy, client: AsyncClient) -> None:
    proxy.fault_for = lambda _: reply(403, "Forbidden")
    with pytest.raises(ForbiddenError) as caught:
        await client.list(CONFIG_MAP, Scope("team-a"))
    assert caught.value.hint == "ask an administrator for the right to list configmaps in team-a"
    assert len(proxy.seen) == 1


async def test_a_list_whose_pages_expire_starts_over(api: ApiUnderTest, proxy: FaultProxy, client: AsyncClient) -> None:
    for number in range(5):
        await client.create(CONFIG_MAP, config_map(api, f"a{number}"))
    proxy.fault_for = first_times(1, lambda seen: "continue" in seen.query, reply(410, "Expired"))
    pages = [page async for page in client.pages(CONFIG_MAP, Scope(api.namespace, "part=test"), dict, page_size=2)]
    assert [(len(page.items), page.is_first) for page in pages] == [(2, True), (5, True)]
