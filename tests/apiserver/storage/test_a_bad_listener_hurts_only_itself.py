"""C7 and W1 inside the server: a listener's bug stops neither writers nor other listeners, and nothing is skipped."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from corral.engine.apiserver.storage.entry import Change
from corral.engine.apiserver.storage.store import Store

pytestmark = pytest.mark.anyio


class Noted:
    """A listener that notes what it hears, and raises at one name."""

    def __init__(self, bad: str = "") -> None:
        self.heard: list[str] = []
        self._bad = bad

    def changed(self, change: Change) -> None:
        self.heard.append(change.entry.name)
        if change.entry.name == self._bad:
            raise RuntimeError("a bug in a printer")


def obj(name: str) -> dict[str, Any]:
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name, "uid": name}}


async def put(store: Store, name: str) -> None:
    async with store.locked("/configmaps", f"default/{name}"):
        await store.put("/configmaps", f"default/{name}", obj(name))


async def test_every_writer_is_answered_and_memory_equals_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path)
    good, bad, failures = Noted(), Noted("b"), []
    store.listen("/configmaps", bad, failed=lambda: failures.append("told"))
    store.listen("/configmaps", good)

    async with asyncio.timeout(5):
        await asyncio.gather(*(put(store, name) for name in "abc"))
        await put(store, "d")

    assert good.heard == ["a", "b", "c", "d"]
    assert failures == ["told"]
    assert "a bug in a printer" in capsys.readouterr().err
    in_memory = {e.key: e.rev for e in store.collection("/configmaps").scan()}
    await store.close()
    again = Store(tmp_path)
    assert in_memory == {e.key: e.rev for e in again.collection("/configmaps").scan()}
    await again.close()


async def test_a_key_stays_locked_until_its_write_is_done_however_often_its_client_is_cancelled(tmp_path: Path) -> None:
    store = Store(tmp_path)
    task = asyncio.ensure_future(put(store, "a"))
    await asyncio.sleep(0)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)

    async with store.locked("/configmaps", "default/a") as entry:
        assert entry is not None

    with pytest.raises(asyncio.CancelledError):
        await task
    await store.close()
