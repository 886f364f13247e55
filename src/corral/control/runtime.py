"""What every controller is given: a store to write to, caches to read from, time, chance, and a voice."""

from typing import NamedTuple

from corral.control.caches import DEFAULT_SETTINGS, Caches
from corral.control.event_recorder import Component, EventRecorder
from corral.control.object_cache import CacheSettings
from corral.ports.clock import Clock
from corral.ports.identity import Randomness
from corral.ports.object_store import ObjectStore


class Runtime(NamedTuple):
    """The surroundings of the controllers of one process."""

    store: ObjectStore
    caches: Caches
    clock: Clock
    randomness: Randomness
    events: EventRecorder


def runtime_of(
    store: ObjectStore,
    *,
    clock: Clock,
    randomness: Randomness,
    component: Component = "corral",
    settings: CacheSettings = DEFAULT_SETTINGS,
) -> Runtime:
    """Returns the surroundings on top of a store; the caches and the events still have to be run."""
    caches = Caches(store, clock=clock, randomness=randomness, settings=settings)
    return Runtime(store, caches, clock, randomness, EventRecorder(store, clock, component))
