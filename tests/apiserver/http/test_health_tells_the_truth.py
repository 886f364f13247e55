"""/livez and /readyz fail when something is wrong, name it, and are answered under any load."""

import asyncio
from pathlib import Path

import pytest

from corral.engine.apiserver import health, upkeep
from corral.engine.apiserver.app import App
from corral.engine.apiserver.bootstrap import started_world
from corral.engine.apiserver.health import Health
from corral.engine.apiserver.upkeep import Upkeep
from corral.engine.apiserver.world import World

pytestmark = pytest.mark.anyio


class Answered:
    """What an application sent."""

    def __init__(self) -> None:
        self.status = 0
        self.body = b""

    async def send(self, message: dict[str, object]) -> None:
        status, body = message.get("status"), message.get("body", b"")
        self.status = status if isinstance(status, int) else self.status
        self.body += body if isinstance(body, bytes) else b""


async def _asked(checks: Health, path: str, query: dict[str, str] | None = None) -> Answered:
    answered = Answered()
    await checks.answer(path, query or {}).send(answered.send)  # type: ignore[arg-type]
    return answered


async def test_a_well_server_says_ok_and_lists_its_checks_when_asked(tmp_path: Path) -> None:
    world = await started_world(tmp_path)
    checks = Health(world, Upkeep(world))
    for path in ("/healthz", "/livez", "/readyz"):
        assert (await _asked(checks, path)).body == b"ok"
        listed = await _asked(checks, path, {"verbose": ""})
        assert listed.body.splitlines()[0] == b"[+]ping ok"
        assert listed.body.splitlines()[-1] == f"{path[1:]} check passed".encode()
    await world.store.close()


async def test_a_commit_that_does_not_return_fails_livez(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = await started_world(tmp_path)
    checks = Health(world, Upkeep(world))
    monkeypatch.setattr(health, "STUCK_SECONDS", -1.0)
    answer = await _asked(checks, "/livez")
    assert answer.status == 500
    assert b"[-]storage-commits failed: a write has been waiting for the disk" in answer.body
    assert (await _asked(checks, "/livez", {"exclude": "storage-commits"})).status == 200
    await world.store.close()


async def test_work_that_fails_is_logged_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = await started_world(tmp_path)
    failed, succeeded = asyncio.Event(), asyncio.Event()

    async def fails_once(world: World, now: float) -> int:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("a bug")
        succeeded.set()
        return 0

    monkeypatch.setattr(upkeep, "PERIOD_SECONDS", 0.001)
    monkeypatch.setattr(upkeep, "ROUNDS_MISSED", 1_000_000)
    monkeypatch.setattr(upkeep, "forget_events", fails_once)
    work = Upkeep(world)
    work.begin()
    await succeeded.wait()
    assert work.problem() == ""
    assert "RuntimeError: a bug" in capsys.readouterr().err
    work.end()
    await world.store.close()


async def test_work_that_has_ended_or_never_succeeds_fails_livez(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await started_world(tmp_path)
    work = Upkeep(world)
    checks = Health(world, work)
    work.begin()
    assert (await _asked(checks, "/livez")).status == 200
    monkeypatch.setattr(upkeep, "ROUNDS_MISSED", -1)
    assert b"[-]upkeep failed: it has not succeeded" in (await _asked(checks, "/livez")).body
    monkeypatch.undo()
    work.end()
    await asyncio.sleep(0.001)
    answer = await _asked(checks, "/readyz")
    assert (answer.status, b"[-]upkeep failed: it has ended" in answer.body) == (500, True)
    await world.store.close()


async def test_health_is_answered_under_any_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = await started_world(tmp_path)
    app = App(world, "token", "127.0.0.1:1", Upkeep(world))
    monkeypatch.setattr("corral.engine.apiserver.app.MOST_IN_FLIGHT", 0)

    async def asked(path: str) -> int:
        answered = Answered()
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"verbose", "headers": []}
        await app(scope, asyncio.Queue().get, answered.send)  # type: ignore[arg-type]
        return answered.status

    assert [await asked(path) for path in ("/healthz", "/livez", "/readyz")] == [200, 200, 200]
    await world.store.close()
