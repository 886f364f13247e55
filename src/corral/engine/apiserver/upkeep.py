"""What the server does by itself from time to time: forget events after an hour."""

import asyncio
import sys
import time
import traceback
from datetime import datetime

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.negotiation import JSON
from corral.engine.apiserver.http.options import DeleteOptions
from corral.engine.apiserver.resources.events import EVENT_TTL_SECONDS
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.rest.deleting import delete_entries
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.world import World

PERIOD_SECONDS = 60.0
ROUNDS_MISSED = 5
"""So many rounds may fail before the server counts as ill."""


class Upkeep:
    """Runs for as long as the server does; a round that fails is logged, and the next one tries again."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._task: asyncio.Task[None] | None = None
        self._last_good = time.monotonic()

    def begin(self) -> None:
        """Starts the rounds, on the running event loop."""
        self._last_good = time.monotonic()
        self._task = asyncio.ensure_future(self._rounds())

    def end(self) -> None:
        """Ends the rounds."""
        if self._task is not None:
            self._task.cancel()

    def problem(self) -> str:
        """Returns what is wrong, for /livez: the work ended, or no round has succeeded for long."""
        if self._task is not None and self._task.done():
            return "it has ended"
        silent = time.monotonic() - self._last_good
        return f"it has not succeeded for {silent:.0f} seconds" if silent > ROUNDS_MISSED * PERIOD_SECONDS else ""

    async def _rounds(self) -> None:
        while True:
            await asyncio.sleep(PERIOD_SECONDS)
            try:
                await forget_events(self._world, self._world.now())
            except Exception:  # noqa: BLE001 - whatever it is, it is in the log, and the next round tries again
                traceback.print_exc(file=sys.stderr)
            else:
                self._last_good = time.monotonic()


async def forget_events(world: World, now: float) -> int:
    """Deletes the events that were last seen more than an hour ago; returns how many."""
    resource = world.catalog.find("", "v1", "events")
    assert resource is not None
    events = world.store.collection(resource.storage_key)
    old = [e for e in events.scan() if now - _last_seen(e.decoded()) >= EVENT_TTL_SECONDS]
    try:
        return await delete_entries(world, View(resource, JSON), old, DeleteOptions())
    except failures.ApiFailure as failure:
        if failure.code != 507:
            raise
        return 0


def _last_seen(event: Object) -> float:
    series = event.get("series") or {}
    times = (
        event["metadata"].get("creationTimestamp"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        series.get("lastObservedTime"),
    )
    return max((datetime.fromisoformat(t).timestamp() for t in times if t), default=0.0)
