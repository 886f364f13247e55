"""What the server does by itself from time to time: forget events after an hour."""

import asyncio
from datetime import datetime

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.negotiation import JSON
from corral.engine.apiserver.http.options import DeleteOptions
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.events import EVENT_TTL_SECONDS
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.rest.deleting import delete
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.world import World

PERIOD_SECONDS = 60.0


async def keep_up(world: World) -> None:
    """Runs for as long as the server does."""
    while True:
        await asyncio.sleep(PERIOD_SECONDS)
        await forget_events(world, world.now())


async def forget_events(world: World, now: float) -> int:
    """Deletes the events that were last seen more than an hour ago; returns how many."""
    resource = world.catalog.find("", "v1", "events")
    assert resource is not None
    view, forgotten = View(resource, JSON), 0
    for entry in list(world.store.collection(resource.storage_key).scan()):
        if now - _last_seen(entry.decoded()) < EVENT_TTL_SECONDS:
            continue
        try:
            await delete(world, view, Target("", "v1", "events", entry.namespace, entry.name), DeleteOptions())
            forgotten += 1
        except failures.ApiFailure as failure:
            if failure.code not in (404, 507):
                raise
    return forgotten


def _last_seen(event: Object) -> float:
    series = event.get("series") or {}
    times = (
        event["metadata"].get("creationTimestamp"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        series.get("lastObservedTime"),
    )
    return max((datetime.fromisoformat(t).timestamp() for t in times if t), default=0.0)
