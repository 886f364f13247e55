"""A process that is asked to end does so, also when one cancellation gets lost on the way."""

import asyncio
import os
import signal

import pytest

from corral.adapters.system import signals

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_lost_cancellation_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "_PATIENCE", 0.05)
    asked: list[str] = []

    async def deaf() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            asked.append("once")
        await asyncio.Event().wait()

    async with asyncio.timeout(10):
        await signals.until_stopped(deaf())
    assert asked == ["once"]


async def test_the_end_of_the_work_is_the_end() -> None:
    async def short() -> None:
        raise ValueError("told")

    with pytest.raises(ValueError, match="told"):
        await signals.until_stopped(short())
