"""Every test of admission runs on both rooms: on the fleet of the engine, and on nodes that are only counted."""

import pytest

from corral.placement.admission.fleets import FleetRoom
from corral.placement.fleet import Fleet
from corral.placement.replay.gangs_counted import CountedRoom
from tests.domain.placement.admission.stage import Stage

ROOMS = {"fleet": lambda: FleetRoom(Fleet()), "counted": CountedRoom}


@pytest.fixture(autouse=True, params=sorted(ROOMS))
def room(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stage, "room", staticmethod(ROOMS[request.param]))
