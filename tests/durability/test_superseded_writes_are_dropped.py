"""Compaction: the file stays small under endless updates, and the floor of watches is right after a restart."""

import asyncio
import os
from pathlib import Path

import pytest

from corral.engine.apiserver import failures
from corral.engine.apiserver.storage.log import WriteLog
from corral.engine.apiserver.storage.store import Store
from tests.api_process import ApiProcess
from tests.durability.state_files import COLLECTION, made, read, state_of

FULL = bool(os.environ.get("CORRAL_TEST_FULL"))
UPDATES = 50_000 if FULL else 12_000


@pytest.fixture(autouse=True)
def short_history(monkeypatch: pytest.MonkeyPatch) -> int:
    """Lets the history hold less than it does, except in the full run, so that it overflows sooner."""
    most = 20_000 if FULL else 3_000
    monkeypatch.setattr("corral.engine.apiserver.storage.history.MOST_CHANGES", most)
    return most


async def _update(store: Store, times: int) -> None:
    key = "default/one"
    batch = 200
    for _ in range(times // batch):
        # Many writers in one commit, as under load: one fsync per batch keeps the test quick.
        async with store.locked(COLLECTION, key):
            await asyncio.gather(*(store.put(COLLECTION, key, made("one", "t" * 200)) for _ in range(batch)))


def test_the_file_does_not_grow_without_bound(quick_path: Path) -> None:
    async def run() -> tuple[int, int, int]:
        store = Store(quick_path / "state")
        await _update(store, UPDATES // 2)
        await _update(store, UPDATES // 5)
        half = store.size_on_disk()
        await _update(store, UPDATES // 2)
        size, floor = store.size_on_disk(), store.history.floor
        await store.close()
        return half, size, floor

    half, size, floor = asyncio.run(run())
    assert size < 24 << 20, "the revisions of the history, a write-ahead log, and little more"
    assert size < half * 1.3
    found = read(quick_path / "state")
    assert found.revision == UPDATES + UPDATES // 5
    assert 0 < found.floor <= floor
    assert len(found.objects) == 1
    assert [rev for rev, _, _ in found.changes] == list(range(found.floor + 1, found.revision + 1))


def test_pending_garbage_is_dropped_after_a_restart(quick_path: Path, short_history: int) -> None:
    async def run() -> int:
        for _ in range(26):
            store = Store(quick_path / "state")
            await _update(store, short_history // 10)
            await store.close()
        return len(list(WriteLog(quick_path / "state" / "state.db").rows()))

    assert short_history <= asyncio.run(run()) < short_history + 600


def test_deleted_objects_leave_nothing_behind(quick_path: Path, short_history: int) -> None:
    async def run() -> tuple[int, int]:
        store = Store(quick_path / "state")
        for number in range(0, short_history, 100):
            names = [f"default/m{n}" for n in range(number, number + 100)]
            await asyncio.gather(*(store.put(COLLECTION, n, made(n[8:], "t")) for n in names))
            await asyncio.gather(*(store.remove(COLLECTION, n, made(n[8:], "t")) for n in names))
        state = state_of(store)
        await store.close()
        return state.floor, len(state.objects)

    floor, objects = asyncio.run(run())
    assert objects == 0
    assert floor > 0
    assert read(quick_path / "state").revision == 2 * short_history


def test_watches_below_the_floor_are_told_and_above_it_resume(tmp_path: Path) -> None:
    """Invariants S8 and W3."""
    path = "/api/v1/namespaces/default/configmaps"
    with ApiProcess(tmp_path, {"storage.history.MOST_CHANGES": 100}) as api:
        merge = {"Content-Type": "application/merge-patch+json"}
        api.ask("POST", path, {"metadata": {"name": "one"}})
        connection = api.connect()
        for number in range(900):
            connection.request(
                "PATCH",
                f"{path}/one",
                f'{{"data":{{"n":"{number}"}}}}',
                {**merge, "Authorization": "Bearer test-token"},
            )
            assert connection.getresponse().read()
        connection.close()
        for _ in range(2):
            last = int(api.ask("GET", path).json["metadata"]["resourceVersion"])
            old = api.ask("GET", f"{path}?watch=true&resourceVersion=8&timeoutSeconds=1")
            assert (old.status, old.reason) == (410, "Expired")
            recent = api.ask("GET", f"{path}?watch=true&resourceVersion={last - 90}&timeoutSeconds=-1")
            assert recent.body.count(b"\n") == 90
            assert api.end(9) == -9
            api.start()


def test_lists_below_the_floor_are_refused(quick_path: Path, short_history: int) -> None:
    async def run() -> None:
        store = Store(quick_path / "state")
        await _update(store, short_history + 1000)
        with pytest.raises(failures.ApiFailure) as refusal:
            store.at(COLLECTION, store.history.floor - 1)
        assert refusal.value.code == 410
        assert len(store.at(COLLECTION, store.history.floor)) == 1
        await store.close()

    asyncio.run(run())
